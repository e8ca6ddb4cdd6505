import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { DocumentForm } from '../../components/document-form.tsx'
import { TRIGGERS } from '../../strings/triggers.ts'
import { ConnectionLink } from '../connections/connection-link.tsx'
import { deleteSetting, readSetting, type Setting, type SettingKind, writeSetting } from './settings-api.ts'

/** The console's document of an environment or a profile; a field that is left out keeps the file's value. */
export function SettingForm({ kind, setting }: { kind: SettingKind; setting?: Setting }) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const words = TRIGGERS.settings[kind]
  // a connection says which environments refer to it
  const refresh = () => Promise.all([[kind], ['connections']].map((queryKey) => client.invalidateQueries({ queryKey })))
  const textOf = ({ name, document = `name: ${name}\n` }: Setting) => document
  return (
    <>
      {kind === 'environments' && (
        <p className="mb-2 max-w-prose text-sm text-muted-foreground">
          {TRIGGERS.settings.environments.bind}{' '}
          <ConnectionLink>{TRIGGERS.settings.environments.bind_to}</ConnectionLink>
        </p>
      )}
      <DocumentForm
        kind={kind}
        label={setting === undefined ? words.new_label : words.label(setting.name)}
        name={setting?.name}
        start={setting === undefined ? { text: words.start } : { text: textOf(setting), etag: setting.etag }}
        problems={setting?.problems ?? []}
        read={async () => {
          const found = await readSetting(kind, setting?.name ?? '')
          return { text: textOf(found), etag: found.etag }
        }}
        write={(draft) => writeSetting(kind, setting?.name, draft)}
        onSaved={async (saved) => {
          await refresh()
          if (setting === undefined) await navigate({ to: '/triggers', search: { part: kind, name: saved.name } })
        }}
        remove={
          setting?.document === undefined
            ? undefined
            : async () => {
                await deleteSetting(kind, setting)
                await navigate({ to: '/triggers', search: { part: kind } })
                await refresh()
              }
        }
      />
    </>
  )
}
