import { useEffect } from 'react'
import { usePhone } from './use-media.ts'

/** Brings what was opened to the top of a phone, where it would be below the screen, once there is something to see. */
export function useScrolledTo(id: string, isReady = true): void {
  const isPhone = usePhone()
  useEffect(() => {
    if (isPhone && isReady) document.getElementById(id)?.scrollIntoView({ block: 'start' })
  }, [id, isPhone, isReady])
}
