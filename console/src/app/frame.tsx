import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, Outlet } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Failed, Loading } from '../components/states.tsx'
import { SignIn } from '../features/session/sign-in.tsx'
import { whenSignedOut } from '../lib/api.ts'
import { type Session, sessionQuery, signOut } from '../lib/session.ts'
import { STRINGS } from '../strings.ts'
import { Help } from './help.tsx'
import { NAVIGATION } from './navigation.ts'
import { PaletteSwitch } from './palette-switch.tsx'
import { ThemeSwitch } from './theme-switch.tsx'
import { WorkspaceSwitch } from './workspace-switch.tsx'

/** Nothing is asked of the API, and nothing is shown, before it is known who is there. */
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
  if (user === null) return <SignIn said={gone ? STRINGS.session_gone : undefined} onSignedIn={onSignedIn} />
  return (
    // what somebody has begun is not gone on with in the name of somebody else
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
    <header className="print:hidden flex flex-wrap items-center gap-x-6 gap-y-2 border-b border-line px-4 py-2">
      <span className="font-semibold">{STRINGS.product}</span>
      <nav className="flex flex-wrap gap-x-4 gap-y-1">
        {NAVIGATION.map(({ to, name }) => (
          <Link
            key={to}
            to={to}
            className="underline-offset-4 hover:underline"
            activeProps={{ className: 'font-semibold' }}
          >
            {name}
          </Link>
        ))}
      </nav>
      <div className="ml-auto flex max-w-full flex-wrap items-center gap-3">
        <WorkspaceSwitch user={user} />
        <ThemeSwitch />
        <PaletteSwitch />
        <Help />
        <span className="max-w-full truncate text-sm text-soft sm:max-w-64">
          {user.display_name ?? user.email ?? user.id}
        </span>
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
    </header>
  )
}
