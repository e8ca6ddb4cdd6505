import { useQuery } from '@tanstack/react-query'
import { Failed } from '../../components/states.tsx'
import { attachedAlerts } from '../../lib/attached-alerts.ts'
import { STRINGS } from '../../strings.ts'
import { runQuery } from '../runs/api.ts'
import { Facts, Section } from './block.tsx'

const words = STRINGS.gates.details

/** Of the one who sent the alert: only addresses of the web are links. */
const isWeb = (url: string) => /^https?:\/\//i.test(url)

/** The alert that started the run of a gate, where there is one. */
export function GateAlert({ run_id }: { run_id: string }) {
  const { data: run, error, refetch } = useQuery(runQuery(run_id))
  if (error !== null) return <Failed error={error} again={() => void refetch()} />
  if (run?.trigger === undefined) return null
  const { alert } = run.trigger
  const { count } = attachedAlerts(run.trigger, run.attached_count)
  const links = [
    ...alert.links,
    ...(alert.generator_url === undefined ? [] : [{ title: alert.source, url: alert.generator_url }]),
  ]
  return (
    <Section title={words.alert} folds>
      <p className="break-words">
        <bdi className="font-medium">{alert.title}</bdi>{' '}
        <span className="text-muted-foreground">
          {alert.severity} · <bdi>{alert.service}</bdi> · {alert.source} · {alert.status}
        </span>
      </p>
      {alert.description !== undefined && (
        <p className="break-words">
          <bdi>{alert.description}</bdi>
        </p>
      )}
      <Facts
        rows={[...Object.entries(alert.labels), ...Object.entries(alert.annotations)].map(([name, value]) => [
          name,
          <bdi key={name}>{value}</bdi>,
        ])}
      />
      <ul>
        {links.map(({ title, url }) => (
          <li key={url} className="break-words">
            {isWeb(url) ? (
              <a href={url} rel="noreferrer noopener" target="_blank" className="link">
                <bdi>{title}</bdi>
              </a>
            ) : (
              <bdi>
                {title} {url}
              </bdi>
            )}
          </li>
        ))}
      </ul>
      {count > 0 && <p className="text-muted-foreground">{STRINGS.run.trigger.others(count)}</p>}
    </Section>
  )
}
