import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from './api.ts'

export interface Version {
  text: string
  /** absent of what is not saved yet */
  etag?: string | undefined
}

interface Options<Saved> {
  start: Version
  read: () => Promise<Version>
  /** saves the text over the version that is known */
  write: (draft: Version) => Promise<Saved>
  onSaved: (saved: Saved) => void
}

/** A text that the user edits over a saved one. Concurrent saves are neither lost nor overwritten unseen. */
export function useDraft<Saved extends { etag: string }>({ start, read, write, onSaved }: Options<Saved>) {
  const [known, setKnown] = useState(start)
  const [text, setText] = useState(start.text)
  const [theirs, setTheirs] = useState<Version>()
  const save = useMutation({
    mutationFn: (draft: Version) => write(draft),
    onSuccess: (saved, draft) => {
      setKnown({ text: draft.text, etag: saved.etag })
      onSaved(saved)
    },
    onError: async (error) => {
      if (error instanceof ApiError && error.status === 412) setTheirs(await read())
    },
  })
  const settle = (take: boolean) => {
    if (theirs === undefined) return
    setKnown(theirs)
    if (take) setText(theirs.text)
    setTheirs(undefined)
    save.reset()
  }
  const isChanged = text !== known.text
  return { text, setText, theirs, settle, isChanged, save: () => save.mutate({ text, etag: known.etag }), saving: save }
}
