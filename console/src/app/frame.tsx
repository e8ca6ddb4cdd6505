import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, Outlet } from '@tanstack/react-router'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { Failed, Loading } from '../components/states.tsx'
import { waitingQuery } from '../features/gates/api.ts'
import { SignIn } from '../features/session/sign-in.tsx'
import { whenSignedOut } from '../lib/api.ts'
import { type Session, sessionQuery, signOut } from '../lib/session.ts'
import { chooseTheme, currentTheme, THEMES, watchTheme } from '../lib/theme.ts'
import { fullTimeText, ownZone } from '../lib/time.ts'
import { usePrinting } from '../lib/use-printing.ts'
import { ME } from '../strings/me.ts'
import { STRINGS } from '../strings.ts'
import { AskSwitch } from './ask-switch.tsx'
import { Help } from './help.tsx'
import { NAVIGATION } from './navigation.ts'
import { PaletteSwitch } from './palette-switch.tsx'
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
    <div key={user.id} className="min-h-screen">
      <a href="#content" className="sr-only focus:not-sr-only">
        {STRINGS.skip}
      </a>
      {authentication === 'off' && (
        <p role="status" className="border-b border-line bg-sunk px-4 py-2 text-wait">
          {STRINGS.open_banner}
        </p>
      )}
      {whose !== undefined && whose !== user.id && (
        <p role="status" className="border-b border-line bg-sunk px-4 py-2 text-wait">
          {STRINGS.session_other}
        </p>
      )}
      <Top user={user} mayLeave={authentication === 'on'} />
      <PrintedFrom />
      <main id="content" className="mx-auto max-w-[120rem] p-4">
        <Outlet />
      </main>
    </div>
  )
}

function Top({ user, mayLeave }: { user: NonNullable<Session['user']>; mayLeave: boolean }) {
  const client = useQueryClient()
  const leave = useMutation({
    mutationFn: signOut,
    onSettled: async () => {
      client.removeQueries({ predicate: ({ queryKey: [name] }) => name !== 'session' })
      await client.invalidateQueries({ queryKey: sessionQuery.queryKey })
    },
  })
  return (
    <header className="border-b border-line print:hidden">
      <div className="mx-auto flex max-w-[120rem] flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2">
        <span className="font-semibold">{STRINGS.product}</span>
        <nav className="flex flex-wrap gap-x-4 gap-y-1">
          {NAVIGATION.map(({ to, name }) => (
            <Link
              key={to}
              to={to}
              className="decoration-2 underline-offset-8 hover:underline"
              activeProps={{ className: 'underline text-mark' }}
            >
              {name}
              {to === '/gates' && <Waiting />}
            </Link>
          ))}
        </nav>
        <div className="ml-auto flex max-w-full flex-wrap items-center gap-2">
          <WorkspaceSwitch user={user} />
          <ThemeSwitch />
          <AskSwitch user_id={user.id} />
          <PaletteSwitch />
          <Help />
          <Link to="/me" title={ME.title} className="max-w-48 truncate text-sm text-soft underline">
            {user.display_name ?? user.email ?? user.id}
          </Link>
          {mayLeave && (
            <button
              type="button"
              disabled={leave.isPending}
              onClick={() => leave.mutate()}
              className="rounded border border-line px-2 py-1 text-sm"
            >
              {STRINGS.sign_out}
            </button>
          )}
        </div>
      </div>
    </header>
  )
}

/** The number of open gates in the workspace, on any page. */
function Waiting() {
  const { data } = useQuery(waitingQuery)
  const count = data?.total ?? data?.at_least
  if (count === undefined || count === '0') return null
  return (
    <span className="ml-1 inline-block rounded bg-sunk px-1.5 text-sm text-wait">
      {count}
      <span className="sr-only"> {STRINGS.gates.waiting}</span>
    </span>
  )
}

/** On paper: of what, when, and whose zone the times are in. */
function PrintedFrom() {
  const printing = usePrinting()
  if (!printing) return null
  return (
    <p className="px-4 pt-2 text-sm">
      {STRINGS.printed(fullTimeText(new Date().toISOString()), ownZone())}
      <span className="block break-all">{window.location.href}</span>
    </p>
  )
}

function ThemeSwitch() {
  const theme = useSyncExternalStore(watchTheme, currentTheme)
  return (
    <label className="flex items-center gap-2 text-sm text-soft">
      <span className="sr-only">{STRINGS.theme.label}</span>
      <select
        value={theme}
        className="rounded border border-line bg-paper px-2 py-1 text-ink"
        onChange={({ target }) => chooseTheme(THEMES.find((each) => each === target.value) ?? 'system')}
      >
        {THEMES.map((each) => (
          <option key={each} value={each}>
            {STRINGS.theme[each]}
          </option>
        ))}
      </select>
    </label>
  )
}
