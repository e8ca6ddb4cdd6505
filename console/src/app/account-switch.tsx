import { CircleUser } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { buttonClasses } from '../components/button.tsx'
import type { Session } from '../lib/session.ts'
import { STRINGS } from '../strings.ts'

// loaded on first use
const AccountMenu = lazy(async () => ({ default: (await import('./account-menu.tsx')).AccountMenu }))

interface Props {
  user: NonNullable<Session['user']>
  mayLeave: boolean
}

/** Opens the account menu. */
export function AccountSwitch({ user, mayLeave }: Props) {
  const [wanted, setWanted] = useState(false)
  const name = user.display_name ?? user.email ?? user.id
  const button = {
    'aria-label': STRINGS.account(name),
    className: buttonClasses({ variant: 'ghost', size: 'sm', className: 'max-w-48' }),
    children: (
      <>
        <CircleUser aria-hidden className="size-4.5 shrink-0" />
        <span className="truncate max-md:hidden">{name}</span>
      </>
    ),
  }
  const closed = <button type="button" aria-haspopup="menu" onClick={() => setWanted(true)} {...button} />
  if (!wanted) return closed
  return (
    <Suspense fallback={closed}>
      <AccountMenu user={user} mayLeave={mayLeave} trigger={button} />
    </Suspense>
  )
}
