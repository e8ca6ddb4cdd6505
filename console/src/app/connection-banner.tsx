import { useQuery } from '@tanstack/react-query'
import { WifiOff } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { waitingQuery } from '../features/gates/api.ts'
import { ApiError } from '../lib/api.ts'
import { timeText } from '../lib/time.ts'
import { STRINGS } from '../strings.ts'

/** Says that the API does not answer, and how old the page is. */
export function ConnectionBanner() {
  const isOnline = useSyncExternalStore(watchNetwork, () => navigator.onLine)
  const { error, dataUpdatedAt } = useQuery(waitingQuery)
  const isSilent = error instanceof ApiError && error.status === 0
  if (isOnline && !isSilent) return null
  return (
    <p
      role="status"
      className="sticky top-14 z-10 flex items-center gap-2 border-b bg-warning-soft px-4 py-2 text-sm font-medium text-warning print:hidden"
    >
      <WifiOff aria-hidden className="size-4 shrink-0" />
      {STRINGS.states.as_of(dataUpdatedAt === 0 ? undefined : timeText(new Date(dataUpdatedAt).toISOString()))}
    </p>
  )
}

function watchNetwork(onChange: () => void): () => void {
  window.addEventListener('online', onChange)
  window.addEventListener('offline', onChange)
  return () => {
    window.removeEventListener('online', onChange)
    window.removeEventListener('offline', onChange)
  }
}
