import { Menu } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../components/button.tsx'
import { STRINGS } from '../strings.ts'
import { NAVIGATION } from './navigation.ts'
import { NavigationLink, NavigationLinks } from './navigation-links.tsx'
import { StopSwitch } from './stop-switch.tsx'

const CELL = 'relative flex min-h-14 flex-1 flex-col items-center justify-center gap-0.5 text-xs text-muted-foreground'

/** The navigation of a phone: the pages that an on-call person needs, and a menu with the rest. */
export function BottomBar() {
  const [open, setOpen] = useState(false)
  return (
    <>
      <nav
        aria-label={STRINGS.navigation.bar}
        className="fixed inset-x-0 bottom-0 z-10 flex border-t bg-sidebar pb-[env(safe-area-inset-bottom)] md:hidden print:hidden"
      >
        {NAVIGATION.slice(0, 3).map((destination) => (
          <NavigationLink
            key={destination.to}
            destination={destination}
            className={CELL}
            active="text-primary"
            badge="absolute top-1.5 left-1/2 ml-2"
          />
        ))}
        <button type="button" onClick={() => setOpen(true)} className={CELL}>
          <Menu aria-hidden className="size-4.5" />
          {STRINGS.navigation.more}
        </button>
      </nav>
      {open && <MenuDialog onClose={() => setOpen(false)} />}
    </>
  )
}

function MenuDialog({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog
      ref={dialog}
      onClose={onClose}
      aria-label={STRINGS.navigation.more}
      className="mt-auto max-h-[90vh] w-full max-w-none rounded-t-xl bg-background p-4 text-foreground backdrop:bg-black/50"
    >
      <NavigationLinks onGo={() => dialog.current?.close()} />
      <div className="mt-4 flex gap-2 border-t pt-4">
        <StopSwitch />
        <Button className="ml-auto" onClick={() => dialog.current?.close()}>
          {STRINGS.help.close}
        </Button>
      </div>
    </dialog>
  )
}
