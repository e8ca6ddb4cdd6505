import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { workspacesQuery } from '../../lib/account-queries.ts'
import { useMe } from '../../lib/use-me.ts'
import { HOME as words } from '../../strings/home.ts'
import { waitingElsewhereQuery } from './api.ts'

/** More are not asked one by one. */
const MAX_ASKED = 10

/** A line for each other workspace in which something waits for the reader. */
export function WaitingElsewhere() {
  const me = useMe()
  const { data: workspaces = [] } = useQuery(workspacesQuery)
  const others = workspaces.filter(({ id, status }) => id !== me.workspace && status === 'active')
  const { data: waiting = [] } = useQuery(waitingElsewhereQuery(others.slice(0, MAX_ASKED)))
  return waiting.map(({ id, name, count }) => (
    <p key={id} className="border-t py-2">
      <Link to="/gates" search={{ awaiting_me: 'true', workspace: id }} className="link">
        {words.elsewhere(count, name)}
      </Link>
    </p>
  ))
}
