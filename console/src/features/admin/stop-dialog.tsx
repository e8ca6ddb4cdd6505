import { useQuery } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { workspacesQuery } from '../../lib/account-queries.ts'
import { STRINGS } from '../../strings.ts'
import { SetHalt } from './set-halt.tsx'

/** Halts runs from any page; the banner then shows the halt. */
export function StopDialog({ onClose }: { onClose: () => void }) {
  const workspaces = useQuery(workspacesQuery)
  return (
    <Dialog label={STRINGS.stop.title} onClose={onClose} className="max-w-lg">
      {(close) => (
        <>
          <h2 className="mb-1 text-lg font-semibold">{STRINGS.stop.title}</h2>
          <p className="mb-3 text-muted-foreground">{STRINGS.stop.about}</p>
          <SetHalt workspaces={workspaces.data ?? []} onSet={close} />
          <Button className="mt-3" onClick={close}>
            {STRINGS.help.close}
          </Button>
        </>
      )}
    </Dialog>
  )
}
