import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useMemo, useState } from 'react'
import { Button, buttonClasses } from '../../components/button.tsx'
import { Refusal } from '../../components/checks.tsx'
import { FIELD, Field } from '../../components/field.tsx'
import { VersionConflict } from '../../components/version-conflict.tsx'
import { tell } from '../../lib/toast.ts'
import { useDraft } from '../../lib/use-draft.ts'
import { CONNECTIONS } from '../../strings/connections.ts'
import { DOCUMENTS } from '../../strings/documents.ts'
import { errorSchemaOf, propertiesOf } from '../start/form-schema.ts'
import { InputsForm } from '../start/inputs-form.tsx'
import {
  type Auth,
  type Connection,
  changeConnection,
  createConnection,
  type KindForm,
  readConnection,
  type TestRequest,
  testConnection,
} from './api.ts'
import { ConnectionLink } from './connection-link.tsx'
import { emptyPlace, fieldsOf, placeIn, refusedFields, textOf, textOfConnection, valuesIn } from './draft.ts'
import { KindChoice } from './kind-choice.tsx'
import { SecretField } from './secret-field.tsx'
import { TestPart } from './test-part.tsx'
import { WorkspaceChoice } from './workspace-choice.tsx'

const words = CONNECTIONS.form

interface Props {
  forms: readonly KindForm[]
  /** absent of a new one */
  connection?: Connection
  isReplacing?: boolean
  onDone?: () => void
}

/** A connection as it is written, drawn from the schema of its kind; it can be tested before it is saved. */
export function ConnectionForm({ forms, connection, isReplacing = false, onDone }: Props) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const isNew = connection === undefined
  const stored = connection?.secret
  const [name, setName] = useState('')
  const [secret, setSecret] = useState(isNew || isReplacing ? '' : undefined)
  const [environment, setEnvironment] = useState<string>()
  const test = useMutation({ mutationFn: (asked: TestRequest) => testConnection(asked), gcTime: 0 })
  const [first] = forms
  const draft = useDraft({
    start: isNew
      ? { text: first === undefined ? '' : textOf(emptyPlace(first)) }
      : { text: textOfConnection(connection), etag: connection.etag },
    read: async () => {
      const found = await readConnection(connection?.id ?? '')
      return { text: textOfConnection(found), etag: found.etag }
    },
    write: async ({ etag }) => {
      const saved = isNew
        ? await createConnection({ name, kind, ...written })
        : await changeConnection(connection.id, etag, written)
      // what was just tested is kept with it
      if (isTested) await testConnection({ id: saved.id, ...placed }).catch(() => undefined)
      return saved
    },
    onSaved: async (saved) => {
      tell(DOCUMENTS.is_saved(saved.name))
      await client.invalidateQueries({ queryKey: ['connections'] })
      onDone?.()
      if (isNew) await navigate({ to: '/admin', search: { part: 'connections', name: saved.name } })
    },
  })
  const place = placeIn(draft.text)
  const { kind, auth, workspaces } = place
  const form = forms.find((each) => each.kind === kind) ?? first
  const contract = useMemo(() => contractOf(form, auth), [form, auth])
  const config = valuesIn(contract.inputs, place.config)
  const given = auth !== 'none' && secret !== undefined && secret !== '' ? { secret } : {}
  const written = { auth, config, workspaces, ...given }
  const placed = environment === undefined ? {} : { environment }
  const asked: TestRequest = { ...(isNew ? { kind } : { id: connection.id }), auth, config, ...given, ...placed }
  const isTested = test.data !== undefined && JSON.stringify(test.variables) === JSON.stringify(asked)
  const { error } = test.submittedAt > draft.saving.submittedAt ? test : draft.saving
  const refused = useMemo(() => refusedFields(error, isNew), [error, isNew])
  const errors = useMemo(() => errorSchemaOf(refused.config), [refused])
  const { theirs } = draft
  const change = (next: Partial<typeof place>) => draft.setText(textOf({ ...place, ...next }, stored?.fingerprint))
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!draft.saving.isPending) draft.save()
  }
  if (form === undefined) return null
  return (
    <form
      aria-label={isNew ? CONNECTIONS.create : CONNECTIONS.change_title(connection.name)}
      onSubmit={submit}
      noValidate
      className="flex max-w-2xl flex-col gap-4"
    >
      {isNew && (
        <>
          <KindChoice
            forms={forms}
            chosen={kind}
            onChoose={(next) => {
              draft.setText(textOf(emptyPlace(next)))
              setSecret('')
            }}
          />
          <Field name={words.name} hint={words.name_hint} error={refused.fields.name}>
            <input
              className={FIELD}
              name="name"
              autoComplete="off"
              spellCheck={false}
              maxLength={64}
              value={name}
              onChange={({ target }) => setName(target.value)}
            />
          </Field>
        </>
      )}
      <Field name={words.auth} error={refused.fields.auth}>
        <select className={FIELD} value={auth} onChange={({ target }) => change({ auth: target.value as Auth })}>
          {form.auth.map((each) => (
            <option key={each} value={each}>
              {CONNECTIONS.auth[each]}
            </option>
          ))}
        </select>
      </Field>
      <div className="-my-6">
        <InputsForm contract={contract} inputs={config} errors={errors} onChange={(next) => change({ config: next })} />
      </div>
      {auth !== 'none' && (
        <SecretField
          name={CONNECTIONS.secret_of[auth]}
          stored={stored}
          secret={secret}
          error={refused.fields.secret}
          onChange={setSecret}
        />
      )}
      <WorkspaceChoice
        chosen={workspaces}
        error={refused.fields.workspaces}
        onChange={(next) => change({ workspaces: next })}
      />
      <TestPart
        ask={CONNECTIONS.test.test}
        test={test}
        isStale={!isTested}
        environment={environment}
        onPlace={setEnvironment}
        onTest={() => test.mutate(asked)}
      />
      {theirs === undefined ? (
        <Refusal error={refused.rest} />
      ) : (
        <VersionConflict
          theirs={theirs.text}
          mine={textOf({ ...place, config }, 'secret' in given ? words.new_secret : stored?.fingerprint)}
          onSettle={(isTaken) => {
            if (isTaken) setSecret(undefined)
            draft.settle(isTaken)
          }}
        />
      )}
      <div className="flex flex-wrap gap-3">
        <Button type="submit" variant="default" disabled={draft.saving.isPending}>
          {draft.saving.isPending ? DOCUMENTS.saving : DOCUMENTS.save}
        </Button>
        {isNew ? (
          <ConnectionLink className={buttonClasses({})}>{words.cancel}</ConnectionLink>
        ) : (
          <Button onClick={onDone}>{words.cancel}</Button>
        )}
      </div>
    </form>
  )
}

function contractOf(form: KindForm | undefined, auth: Auth) {
  const inputs = form === undefined ? {} : fieldsOf(form, auth)
  const order = Object.keys(propertiesOf(inputs))
  return { inputs, ui: { order, secret: [] }, template_digest: `${form?.kind} ${auth}` }
}
