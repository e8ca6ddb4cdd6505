import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, Outlet } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Failed, Loading } from '../components/states.tsx'
import { SignIn } from '../features/session/sign-in.tsx'
import { whenSignedOut } from '../lib/api.ts'
import { type Session, sessionQuery } from '../lib/session.ts'
import { fullTimeText, OWN_ZONE } from '../lib/time.ts'
import { may } from '../lib/use-me.ts'
import { usePrinting } from '../lib/use-media.ts'
import { STRINGS } from '../strings.ts'
import { AccountSwitch } from './account-switch.tsx'
import { AskSwitch } from './ask-switch.tsx'
import { BottomBar } from './bottom-bar.tsx'
import { ConnectionBanner } from './connection-banner.tsx'
import { HaltBanner } from './halt-banner.tsx'
import { Help } from './help.tsx'
import { NavigationLinks } from './navigation-links.tsx'
import { PaletteSwitch } from './palette-switch.tsx'
import { StopSwitch } from './stop-switch.tsx'
import { Toasts } from './toasts.tsx'
import { WorkspaceSwitch } from './workspace-switch.tsx'

/** Loads and shows nothing before the user is known. */
export function Frame() {
  const client = useQueryClient()
  const [gone, setGone] = useState(false)
  const session = useQuery(sessionQuery)
  const [whose, setWhose] = useState<string>()
  const id = session.data?.user?.id
  if (whose === undefined && id !== undefined) setWhose(id)
  useEffect(() => {
    whenSignedOut(() => {
      setGone(true)
      void client.invalidateQueries({ queryKey: sessionQuery.queryKey })
    })
  }, [client])
  if (session.isPending) return <Loading />
  if (session.data === undefined) return <Failed error={session.error} again={() => void session.refetch()} />
  const { user, authentication } = session.data
  const onSignedIn = () => {
    setGone(false)
    setWhose(undefined)
  }
  if (user === null) return <SignIn message={gone ? STRINGS.session_gone : undefined} onSignedIn={onSignedIn} />
  return (
    // unsent input of one user is dropped for another
    <div key={user.id} className="min-h-screen print:block md:grid md:grid-cols-[14rem_minmax(0,1fr)]">
      <a href="#content" className="sr-only focus:not-sr-only">
        {STRINGS.skip}
      </a>
      <Rail />
      <div className="flex min-h-screen min-w-0 flex-col">
        <TopBar user={user} mayLeave={authentication === 'on'} />
        {authentication === 'off' && <Notice>{STRINGS.open_banner}</Notice>}
        {whose !== undefined && whose !== user.id && <Notice>{STRINGS.session_other}</Notice>}
        <HaltBanner />
        <ConnectionBanner />
        <Toasts />
        <PrintedFrom />
        <main id="content" className="w-full max-w-[100rem] flex-1 px-4 pt-5 pb-24 md:px-8 md:pb-10">
          <Outlet />
        </main>
      </div>
      <BottomBar />
    </div>
  )
}

function Notice({ children }: { children: string }) {
  return (
    <p role="status" className="border-b bg-warning-soft px-4 py-2 text-sm text-warning print:hidden">
      {children}
    </p>
  )
}

function Rail() {
  return (
    <aside
      aria-label={STRINGS.product}
      className="sticky top-0 flex h-screen flex-col gap-6 overflow-y-auto border-r bg-sidebar p-3 text-sm max-md:hidden print:hidden"
    >
      <Link to="/" className="flex items-center gap-2 px-2.5 pt-1 text-base font-semibold">
        <Mark />
        {STRINGS.product}
      </Link>
      <NavigationLinks />
      <div className="mt-auto flex items-center justify-between gap-2">
        <StopSwitch />
        <Help />
      </div>
    </aside>
  )
}

/** The logo: a shield with a tick. */
function Mark() {
  return (
    <svg viewBox="0 0 20 20" aria-hidden="true" className="size-5 text-primary">
      <path d="M10 1 18 5v5c0 4.6-3.3 7.9-8 9-4.7-1.1-8-4.4-8-9V5Z" className="fill-primary" />
      <path d="m6.4 10.2 2.5 2.5 4.8-5" fill="none" strokeWidth="1.8" className="stroke-primary-foreground" />
    </svg>
  )
}

function TopBar({ user, mayLeave }: { user: NonNullable<Session['user']>; mayLeave: boolean }) {
  return (
    <header className="sticky top-0 z-10 flex h-14 items-center gap-2 border-b bg-background px-4 md:px-8 print:hidden">
      <PaletteSwitch />
      <div className="ml-auto flex min-w-0 items-center gap-2">
        <WorkspaceSwitch />
        {may(user.roles, 'viewer') && <AskSwitch user_id={user.id} />}
        <AccountSwitch user={user} mayLeave={mayLeave} />
      </div>
    </header>
  )
}

/** On paper: of what, when, and whose zone the times are in. */
function PrintedFrom() {
  const printing = usePrinting()
  if (!printing) return null
  return (
    <p className="px-4 pt-2 text-sm">
      {STRINGS.printed(fullTimeText(new Date().toISOString()), OWN_ZONE)}
      <span className="block break-all">{window.location.href}</span>
    </p>
  )
}
