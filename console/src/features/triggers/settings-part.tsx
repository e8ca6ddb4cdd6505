import { useQuery } from '@tanstack/react-query'
import { Asked } from '../../components/asked.tsx'
import { PlainTable } from '../../components/plain-table.tsx'
import { Empty } from '../../components/states.tsx'
import { useMe } from '../../lib/use-me.ts'
import { TRIGGERS } from '../../strings/triggers.ts'
import { STRINGS } from '../../strings.ts'
import { PartLink } from './part-link.tsx'
import { SettingForm } from './setting-form.tsx'
import { SettingView } from './setting-view.tsx'
import { type Setting, type SettingKind, settingsQuery } from './settings-api.ts'

interface Props {
  kind: SettingKind
  name: string | undefined
  isNew: boolean
}

/** Environments or profiles: the values in force, and the console's documents. */
export function SettingsPart({ kind, name, isNew }: Props) {
  const me = useMe()
  const words = TRIGGERS.settings[kind]
  const settings = useQuery(settingsQuery(kind))
  if (isNew && me.isAdminOfAll)
    return (
      <>
        <PartLink part={kind}>{words.back}</PartLink>
        <SettingForm kind={kind} />
      </>
    )
  return (
    <Asked query={settings}>
      {(list) => {
        if (name === undefined) return <SettingList kind={kind} list={list} mayWrite={me.isAdminOfAll} />
        const setting = list.find((each) => each.name === name)
        return (
          <>
            <PartLink part={kind}>{words.back}</PartLink>
            {setting === undefined ? (
              <Empty>{STRINGS.states.not_found}</Empty>
            ) : (
              <SettingView key={setting.name} kind={kind} setting={setting} mayWrite={me.isAdminOfAll} />
            )}
          </>
        )
      }}
    </Asked>
  )
}

function SettingList({ kind, list, mayWrite }: { kind: SettingKind; list: Setting[]; mayWrite: boolean }) {
  const words = TRIGGERS.settings[kind]
  const { columns, layers } = TRIGGERS.settings
  return (
    <>
      <p className="mb-3 max-w-prose text-muted-foreground">{words.intro}</p>
      {mayWrite && (
        <p className="mb-3">
          <PartLink part={kind} create>
            {words.create}
          </PartLink>
        </p>
      )}
      {list.length === 0 ? (
        <Empty>{words.empty}</Empty>
      ) : (
        <PlainTable
          label={TRIGGERS.parts[kind]}
          columns={[columns.name, columns.layers, columns.what, columns.state]}
          rows={list.map((setting) => ({
            key: setting.name,
            cells: [
              <PartLink key="name" part={kind} name={setting.name}>
                {setting.name}
              </PartLink>,
              setting.layers.map((layer) => layers[layer]).join(', '),
              summaryOf(setting),
              setting.problems.length === 0 ? TRIGGERS.settings.sound : <Problems key="state" setting={setting} />,
            ],
          }))}
        />
      )}
    </>
  )
}

function Problems({ setting }: { setting: Setting }) {
  return (
    <ul>
      {setting.problems.map(({ message, warning }) => (
        <li key={message} className={warning === true ? 'text-warning' : 'text-destructive'}>
          {message}
        </li>
      ))}
    </ul>
  )
}

/** Formats the most important values in a line. */
function summaryOf(setting: Setting): string {
  const words = TRIGGERS.settings
  if ('class' in setting) {
    const { min_approvals, prevent_self } = setting.approval
    return [
      setting.class,
      words.approval(min_approvals),
      ...(prevent_self ? [words.self] : []),
      ...setting.policies,
    ].join(', ')
  }
  const { requires_approval: types } = setting
  return types.length === 0 ? words.asks_nothing : words.asks(types.join(', '))
}
