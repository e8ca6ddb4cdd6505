import { useQuery } from '@tanstack/react-query'
import { Asked } from '../../components/asked.tsx'
import { Copyable } from '../../components/copyable.tsx'
import { Facts, Time } from '../../components/facts.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { sessionQuery } from '../../lib/session.ts'
import { OWN_ZONE } from '../../lib/time.ts'
import { useMe } from '../../lib/use-me.ts'
import { useTitle } from '../../lib/use-title.ts'
import { ME as words } from '../../strings/me.ts'
import { AnsweringAccounts } from './answering-accounts.tsx'
import { type Me, meQuery } from './api.ts'
import { AwayForm } from './away-form.tsx'
import { OwnPassword } from './own-password.tsx'

/** The user's own profile and delegates. */
export function MePage() {
  useTitle(words.title)
  const isOpen = useQuery(sessionQuery).data?.authentication === 'off'
  const { isApprover } = useMe()
  return (
    <>
      <PageHeader title={words.title} />
      <Asked query={useQuery(meQuery)}>
        {(me) => (
          <>
            <About me={me} />
            {isOpen && <p className="mt-4 text-muted-foreground">{words.open_mode}</p>}
            {!isOpen && isApprover && <AwayForm key={`${me.out_of_office_until} ${me.delegate_to}`} me={me} />}
            {!isOpen && isApprover && <AnsweringAccounts />}
            {!isOpen && <OwnPassword id={me.id} />}
          </>
        )}
      </Asked>
    </>
  )
}

function About({ me }: { me: Me }) {
  const { facts } = words
  return (
    <Facts
      rows={[
        [facts.name, me.display_name],
        [facts.email, me.email],
        [facts.id, <Copyable key="id" text={me.id} />],
        [facts.roles, me.roles.join(', ')],
        [facts.approval_roles, me.approval_roles.join(', ')],
        [facts.seen, me.last_login_at && <Time key="seen" at={me.last_login_at} />],
        [facts.zone, OWN_ZONE],
      ]}
    />
  )
}
