import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { Button } from '../../components/button.tsx'
import { STRINGS } from '../../strings.ts'
import { workspacesQuery } from './api.ts'
import { SetHalt } from './set-halt.tsx'

/** Halts runs from any page; the banner then shows the halt. */
export function StopDialog({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const workspaces = useQuery(workspacesQuery)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog
      ref={dialog}
      onClose={onClose}
      aria-label={STRINGS.stop.title}
      className="m-auto max-h-[90vh] w-full max-w-lg overflow-auto rounded-xl bg-background p-5 text-foreground shadow-xl backdrop:bg-black/50"
    >
      <p className="mb-3 text-muted-foreground">{STRINGS.stop.about}</p>
      <SetHalt workspaces={workspaces.data ?? []} onSet={() => dialog.current?.close()} />
      <Button className="mt-3" onClick={() => dialog.current?.close()}>
        {STRINGS.help.close}
      </Button>
    </dialog>
  )
}
