import { useCallback, useSyncExternalStore } from 'react'

/** Whether a media query holds now. */
function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (onChange: () => void) => {
      const media = window.matchMedia(query)
      media.addEventListener('change', onChange)
      return () => media.removeEventListener('change', onChange)
    },
    [query],
  )
  return useSyncExternalStore(subscribe, () => window.matchMedia(query).matches)
}

/** Whether the page is on a screen as narrow as a phone's. */
export const usePhone = (): boolean => useMedia('screen and (max-width: 639px)')
