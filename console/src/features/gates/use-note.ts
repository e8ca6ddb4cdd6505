import { useCallback, useState } from 'react'
import { useMe } from '../../lib/use-me.ts'

/** The note of an answer that is not sent yet. It outlives a reload of this tab, until the gate is answered or its writer signs out. */
export function useNote(gate_id: string) {
  const me = useMe()
  const key = `svc.note.${me.id}.${gate_id}`
  const [note, setNote] = useState(() => sessionStorage.getItem(key) ?? '')
  const forget = useCallback(() => sessionStorage.removeItem(key), [key])
  const write = (text: string) => {
    setNote(text)
    if (text.trim() === '') forget()
    else sessionStorage.setItem(key, text)
  }
  return { note, write, forget }
}
