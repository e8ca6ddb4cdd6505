import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Refusal } from '../../components/checks.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { FIELD, Field } from '../../components/field.tsx'
import { VersionConflict } from '../../components/version-conflict.tsx'
import { YamlField } from '../../components/yaml-field.tsx'
import { tell } from '../../lib/toast.ts'
import { useDraft } from '../../lib/use-draft.ts'
import { useMe } from '../../lib/use-me.ts'
import { useSettled } from '../../lib/use-now.ts'
import { DOCUMENTS } from '../../strings/documents.ts'
import { POLICIES } from '../../strings/policies.ts'
import {
  attachTo,
  type ConsolePolicy,
  deletePolicy,
  type Environment,
  readPolicy,
  rehearsalQuery,
  writePolicy,
} from './api.ts'
import { AttachList } from './attach-list.tsx'
import { RehearsalView } from './rehearsal-view.tsx'

const words = POLICIES.editor

interface Props {
  /** absent of a policy that is not saved yet */
  policy?: ConsolePolicy
  environments: Environment[]
}

/** A policy of the console as its author writes it: with its problems, what it would have changed, and where it is attached. */
export function PolicyEditor({ policy, environments }: Props) {
  const me = useMe()
  if (me.isAdmin) return <Editor {...(policy !== undefined && { policy })} environments={environments} />
  if (policy === undefined) return null
  return (
    <YamlField
      kind="policies"
      label={words.label(policy.name)}
      text={policy.document}
      problems={policy.problems}
      readOnly
    />
  )
}

function Editor({ policy, environments }: Props) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const me = useMe()
  const name = policy?.name
  const attached = useMemo(
    () => environments.filter((each) => name !== undefined && each.policies.includes(name)).map((each) => each.name),
    [environments, name],
  )
  const [wanted, setWanted] = useState(attached)
  const [agreed, setAgreed] = useState(false)
  const [isSaved, setIsSaved] = useState(false)
  const refresh = () =>
    Promise.all([['policies'], ['environments']].map((queryKey) => client.invalidateQueries({ queryKey })))
  const draft = useDraft({
    start: { text: policy?.document ?? words.start, etag: policy?.etag },
    read: async () => {
      const { document, etag } = await readPolicy(name ?? '')
      return { text: document, etag }
    },
    write: async ({ text, etag }) => {
      const isSame = policy !== undefined && text === policy.document
      const saved = isSame ? policy : await writePolicy(name, text, etag)
      if (me.isAdminOfAll) await attachTo(saved.name, wanted, environments).finally(refresh)
      return saved
    },
    onSaved: async (saved) => {
      setIsSaved(true)
      await refresh()
      if (name === undefined) await navigate({ to: '/policies/$name', params: { name: saved.name } })
    },
  })
  const asked = useSettled(useMemo(() => ({ document: draft.text, name, attach: wanted }), [draft.text, name, wanted]))
  const rehearsal = useQuery(rehearsalQuery(asked))
  const isJudged = asked.document === draft.text && asked.attach === wanted && !rehearsal.isPlaceholderData
  const { data: answer } = rehearsal
  const isLooser = answer !== undefined && (answer.loosens || answer.runs.looser > 0)
  const isChanged = name === undefined || draft.isChanged || wanted.join() !== attached.join()
  const maySave = isChanged && isJudged && answer?.sound === true && (!isLooser || agreed) && !draft.saving.isPending
  const remove = useMutation({
    mutationFn: deletePolicy,
    onSuccess: async () => {
      tell(DOCUMENTS.is_removed(name ?? ''))
      await navigate({ to: '/policies' })
      await client.invalidateQueries({ queryKey: ['policies'] })
    },
  })
  const label = name === undefined ? words.new_label : words.label(name)
  const change = (act: () => void) => {
    act()
    setAgreed(false)
    setIsSaved(false)
  }
  return (
    <section className="mt-6">
      <h2 className="mb-2 text-lg font-semibold">{words.title}</h2>
      {policy !== undefined && (
        <p className="mb-2 break-words text-sm text-muted-foreground">
          {words.author} {policy.author}
        </p>
      )}
      <YamlField
        kind="policies"
        label={label}
        text={draft.text}
        onChange={(text) => change(() => draft.setText(text))}
        problems={isJudged && answer !== undefined ? answer.problems : []}
      />
      <AttachList
        environments={environments}
        wanted={wanted}
        disabled={!me.isAdminOfAll}
        onChange={(next) => change(() => setWanted(next))}
      />
      {isChanged && (
        <section aria-label={POLICIES.rehearsal.title} className="my-4">
          <h3 className="font-semibold">{POLICIES.rehearsal.title}</h3>
          {!isJudged && !rehearsal.isError && <p role="status">{POLICIES.rehearsal.waiting}</p>}
          <Refusal error={rehearsal.error} />
          {isJudged && answer !== undefined && <RehearsalView rehearsal={answer} />}
        </section>
      )}
      {isChanged && isJudged && answer?.sound === true && isLooser && (
        <LoosenConfirm key={`${draft.text} ${wanted.join()}`} name={name ?? answer.name ?? ''} onAgree={setAgreed} />
      )}
      {draft.theirs !== undefined ? (
        <VersionConflict theirs={draft.theirs.text} mine={draft.text} onSettle={draft.settle} />
      ) : (
        <Refusal error={draft.saving.error} />
      )}
      <div className="mt-3 flex flex-wrap items-center gap-3">
        <Button variant="default" disabled={!maySave} onClick={draft.save}>
          {draft.saving.isPending ? DOCUMENTS.saving : DOCUMENTS.save}
        </Button>
        {isSaved && !isChanged && <span role="status">{DOCUMENTS.saved}</span>}
        {policy !== undefined && (
          <Confirm
            ask={DOCUMENTS.remove}
            question={DOCUMENTS.really(policy.name)}
            yes={DOCUMENTS.yes}
            no={DOCUMENTS.no}
            busy={remove.isPending}
            onYes={() => remove.mutate(policy)}
          />
        )}
      </div>
      <Refusal error={remove.error} />
    </section>
  )
}

/** Confirms a loosening by a typed text, not by a click. */
function LoosenConfirm({ name, onAgree }: { name: string; onAgree: (agreed: boolean) => void }) {
  const phrase = words.phrase(name)
  return (
    <div className="my-3 max-w-prose rounded border border-destructive p-3 text-destructive">
      <Field name={words.confirm(phrase)}>
        <input
          className={FIELD}
          autoComplete="off"
          spellCheck={false}
          maxLength={200}
          onChange={({ target }) => onAgree(target.value.trim() === phrase)}
        />
      </Field>
    </div>
  )
}
