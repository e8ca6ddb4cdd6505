import { useEffect } from 'react'
import { STRINGS } from '../strings.ts'

/** Sets the title of the tab: the page first, since a narrow tab shows only its beginning. */
export function useTitle(...parts: readonly (string | undefined)[]): void {
  const title = [...parts, STRINGS.product].filter(Boolean).join(' · ')
  useEffect(() => {
    document.title = title
  }, [title])
}
