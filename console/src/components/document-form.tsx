import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '../lib/api.ts'
import type { DocumentKind } from '../lib/document-schema.ts'
import { tell } from '../lib/toast.ts'
import { useDraft, type Version } from '../lib/use-draft.ts'
import { DOCUMENTS } from '../strings/documents.ts'
import { Button } from './button.tsx'
import { Refusal } from './checks.tsx'
import { Confirm } from './confirm.tsx'
import { VersionConflict } from './version-conflict.tsx'
import type { Problem } from './yaml-editor.tsx'
import { YamlField } from './yaml-field.tsx'

interface Saved {
  name: string
  etag: string
  problems: readonly Problem[]
  loosens?: readonly string[] | undefined
}

interface Props<Result extends Saved> {
  /** of the editor */
  label: string
  kind: DocumentKind
  /** the name of the document, when it can be deleted */
  name?: string | undefined
  start: Version
  problems?: readonly Problem[]
  read: () => Promise<Version>
  write: (draft: Version) => Promise<Result>
  onSaved: (saved: Result) => void
  remove?: (() => Promise<void>) | undefined
}

/** A document of the console as its author writes it, with what the API finds wrong in it when it is saved. */
export function DocumentForm<Result extends Saved>(props: Props<Result>) {
  const { label, kind, name, start, problems = [], read, write, onSaved, remove } = props
  const [saved, setSaved] = useState<Result>()
  const draft = useDraft({
    start,
    read,
    write,
    onSaved: (result: Result) => {
      setSaved(result)
      onSaved(result)
    },
  })
  const removing = useMutation({
    mutationFn: async () => remove?.(),
    onSuccess: () => tell(DOCUMENTS.is_removed(name ?? '')),
  })
  const { error } = draft.saving
  const faults = error instanceof ApiError ? error.errors : []
  const found =
    faults.length > 0 ? faults.map(({ msg, ...place }) => ({ ...place, message: msg })) : (saved?.problems ?? problems)
  const loosens = saved?.loosens ?? []
  return (
    <div>
      <YamlField
        label={label}
        kind={kind}
        text={draft.text}
        problems={found}
        onChange={(text) => {
          draft.setText(text)
          setSaved(undefined)
        }}
      />
      {draft.theirs !== undefined ? (
        <VersionConflict theirs={draft.theirs.text} mine={draft.text} onSettle={draft.settle} />
      ) : (
        <Refusal error={error} />
      )}
      {saved !== undefined && (
        <p role="status" className={loosens.length > 0 ? 'font-medium text-destructive' : 'text-success'}>
          {loosens.length > 0 ? DOCUMENTS.loosens(loosens.join(', ')) : DOCUMENTS.saved}
        </p>
      )}
      <Refusal error={removing.error} />
      <div className="mt-3 flex flex-wrap items-center gap-3">
        <Button variant="default" disabled={draft.saving.isPending || draft.text.trim() === ''} onClick={draft.save}>
          {draft.saving.isPending ? DOCUMENTS.saving : DOCUMENTS.save}
        </Button>
        {draft.isChanged && <span className="text-muted-foreground">{DOCUMENTS.unsaved}</span>}
        {remove !== undefined && name !== undefined && (
          <Confirm
            ask={DOCUMENTS.remove}
            question={DOCUMENTS.really(name)}
            yes={DOCUMENTS.yes}
            no={DOCUMENTS.no}
            busy={removing.isPending}
            onYes={() => removing.mutate()}
          />
        )}
      </div>
    </div>
  )
}
