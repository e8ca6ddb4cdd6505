import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Asked } from '../../components/asked.tsx'
import { Badge, type Tone } from '../../components/badge.tsx'
import { Card } from '../../components/card.tsx'
import { Facts } from '../../components/facts.tsx'
import { ADMIN } from '../../strings/admin.ts'
import { HOME as words } from '../../strings/home.ts'
import { haltsQuery, healthQuery } from '../admin/api.ts'
import { spendQuery } from '../models/api.ts'

const TONES: Readonly<Record<string, Tone>> = { ok: 'success', degraded: 'warning', unavailable: 'destructive' }

/** Health, lanes, halts and spend, each with the page that says more. */
export function ServiceState() {
  const halts = useQuery(haltsQuery)
  const spend = useQuery(spendQuery('24h'))
  return (
    <Card aria-label={words.state} className="h-fit text-sm max-xl:mt-6">
      <h2 className="mb-2 text-base font-semibold">{words.state}</h2>
      <Asked query={useQuery(healthQuery)}>
        {({ status, lanes = {} }) => (
          <>
            <p className="mb-2">
              <Link to="/admin" search={{ part: 'health' }} className="tap">
                <Badge tone={TONES[status] ?? 'neutral'}>{ADMIN.health.statuses[status]}</Badge>
              </Link>
            </p>
            <Facts
              rows={[
                ...Object.entries(lanes).map(
                  ([name, { running, limit, queued }]) =>
                    [
                      name,
                      <Link key={name} to="/runs" search={{ lane: name }} className="link tap">
                        {words.lane(running, limit, queued)}
                      </Link>,
                    ] as const,
                ),
                [
                  words.halts,
                  halts.data !== undefined && (
                    <Link key="halts" to="/admin" search={{ part: 'halts' }} className="link tap">
                      {halts.data.length === 0 ? words.no_halts : String(halts.data.length)}
                    </Link>
                  ),
                ],
                [
                  words.spend,
                  spend.data !== undefined && (
                    <Link key="spend" to="/admin" search={{ part: 'models' }} className="link tap">
                      {words.usd(spend.data.totals.usd)}
                    </Link>
                  ),
                ],
              ]}
            />
          </>
        )}
      </Asked>
    </Card>
  )
}
