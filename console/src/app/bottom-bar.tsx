import { Menu } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
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
  return (
    <Dialog
      label={STRINGS.navigation.more}
      onClose={onClose}
      className="mt-auto mb-0 max-w-none rounded-t-xl rounded-b-none p-4"
    >
      {(close) => (
        <>
          <NavigationLinks onGo={close} />
          <div className="mt-4 flex gap-2 border-t pt-4">
            <StopSwitch />
            <Button className="ml-auto" onClick={close}>
              {STRINGS.help.close}
            </Button>
          </div>
        </>
      )}
    </Dialog>
  )
}
