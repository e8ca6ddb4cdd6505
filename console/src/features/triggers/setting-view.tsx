import { YamlField } from '../../components/yaml-field.tsx'
import { durationText } from '../../lib/time.ts'
import { TRIGGERS } from '../../strings/triggers.ts'
import { SettingForm } from './setting-form.tsx'
import type { Setting, SettingKind } from './settings-api.ts'

const words = TRIGGERS.settings
/** members about the setting, not of it */
const ABOUT = new Set(['name', 'layers', 'document', 'author', 'updated_at', 'digest', 'problems', 'loosens', 'etag'])

/** One environment or profile: the value in force, and the console's document. */
export function SettingView({ kind, setting, mayWrite }: { kind: SettingKind; setting: Setting; mayWrite: boolean }) {
  const facts = Object.entries(setting).filter(([name]) => !ABOUT.has(name))
  return (
    <>
      <h3 className="my-2 break-words font-semibold">{setting.name}</h3>
      <h4 className="font-medium">{words.in_force}</h4>
      <dl className="mb-4 grid grid-cols-1 gap-x-6 sm:grid-cols-[auto_minmax(0,1fr)]">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-muted-foreground">{name.replaceAll('_', ' ')}</dt>
            <dd className="break-words">
              <InForce value={value} />
            </dd>
          </div>
        ))}
      </dl>
      {mayWrite && setting.document === undefined && <p className="text-muted-foreground">{words.nothing_said}</p>}
      {mayWrite && <SettingForm kind={kind} setting={setting} />}
      {!mayWrite && setting.document !== undefined && (
        <YamlField kind={kind} label={words[kind].label(setting.name)} text={setting.document} readOnly />
      )}
      {!mayWrite && <p className="text-muted-foreground">{words.admins}</p>}
    </>
  )
}

/** The value in force as YAML; times with their durations. */
function InForce({ value }: { value: unknown }) {
  const lines = linesOf(value)
  return lines.length === 0 ? (
    <span className="text-muted-foreground">{words.unsaid}</span>
  ) : (
    <code className="whitespace-pre-wrap text-sm">{lines.join('\n')}</code>
  )
}

function linesOf(value: unknown): string[] {
  if (Array.isArray(value)) {
    if (value.every((each) => typeof each !== 'object')) return value.length === 0 ? [] : [value.join(', ')]
    return value.flatMap((each) => linesOf(each).map((line, place) => (place === 0 ? `- ${line}` : `  ${line}`)))
  }
  if (typeof value !== 'object' || value === null) return [String(value)]
  return Object.entries(value).flatMap(([name, each]) => {
    if (name.endsWith('_ms') && typeof each === 'number') return [`${name.slice(0, -3)}: ${durationText(each)}`]
    const [first, ...others] = linesOf(each)
    if (first === undefined) return []
    return typeof each === 'object' && !Array.isArray(each)
      ? [`${name}:`, ...[first, ...others].map((line) => `  ${line}`)]
      : others.length === 0
        ? [`${name}: ${first}`]
        : [`${name}:`, ...[first, ...others]]
  })
}
