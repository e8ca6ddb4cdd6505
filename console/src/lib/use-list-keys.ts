import { useEffect, useRef, useState } from 'react'
import { isTyping } from './is-typing.ts'

/** `j` and `k` select entries of a list, Enter opens the selected one. */
export function useListKeys<Item>(items: readonly Item[], onOpen: (item: Item) => void): number | undefined {
  const [marked, setMarked] = useState<number>()
  const latest = useRef({ items, onOpen, marked })
  latest.current = { items, onOpen, marked }
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return
      const { items: all, onOpen: open, marked: at } = latest.current
      if (event.key === 'j') setMarked(Math.min(all.length - 1, (at ?? -1) + 1))
      if (event.key === 'k') setMarked(Math.max(0, (at ?? 1) - 1))
      const chosen = at === undefined ? undefined : all[at]
      // a button or a link that has the focus is what Enter is for
      const elsewhere = event.target instanceof HTMLElement && /^(A|BUTTON|SUMMARY)$/.test(event.target.tagName)
      if (event.key === 'Enter' && chosen !== undefined && !elsewhere) open(chosen)
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
  return marked === undefined || items.length === 0 ? undefined : Math.min(marked, items.length - 1)
}
