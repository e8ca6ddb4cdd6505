import { YamlField } from '../../components/yaml-field.tsx'
import { TRIGGERS } from '../../words/triggers.ts'
import { SettingForm } from './setting-form.tsx'
import type { Setting, SettingKind } from './settings-api.ts'

const words = TRIGGERS.settings
/** they say where it is said, and not what */
const ABOUT = new Set(['name', 'layers', 'document', 'author', 'updated_at', 'digest', 'problems', 'loosens', 'etag'])

/** One environment or profile: as it counts, and as the console says it. */
export function SettingView({ kind, setting, mayWrite }: { kind: SettingKind; setting: Setting; mayWrite: boolean }) {
  const facts = Object.entries(setting).filter(([name]) => !ABOUT.has(name))
  return (
    <>
      <h3 className="my-2 break-words font-semibold">{setting.name}</h3>
      <h4 className="font-medium">{words.in_force}</h4>
      <dl className="mb-4 grid grid-cols-1 gap-x-6 sm:grid-cols-[auto_minmax(0,1fr)]">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-soft">{name.replaceAll('_', ' ')}</dt>
            <dd className="break-words">
              <code className="text-sm">{typeof value === 'string' ? value : JSON.stringify(value)}</code>
            </dd>
          </div>
        ))}
      </dl>
      {mayWrite && setting.document === undefined && <p className="text-soft">{words.nothing_said}</p>}
      {mayWrite && <SettingForm kind={kind} setting={setting} />}
      {!mayWrite && setting.document !== undefined && (
        <YamlField kind={kind} label={words[kind].label(setting.name)} text={setting.document} readOnly />
      )}
      {!mayWrite && <p className="text-soft">{words.admins}</p>}
    </>
  )
}
