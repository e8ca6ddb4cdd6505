import { Data, Facts, Time } from '../../components/facts.tsx'
import { RunLink } from '../../components/link.tsx'
import { Part } from '../../components/part.tsx'
import { attachedAlerts } from '../../lib/attached-alerts.ts'
import { STRINGS } from '../../strings.ts'
import { type Run, requesterOf } from '../runs/api.ts'

const words = STRINGS.run.trigger
type Trigger = NonNullable<Run['trigger']>
type Attached = ReturnType<typeof attachedAlerts>

/** The alert that a run was started for, with those that attached to it; else who or what asked. And what it was given. */
export function RunTrigger({ run }: { run: Run }) {
  const { trigger } = run
  return (
    <Part id="trigger" title={words.title}>
      {trigger === undefined ? (
        <p className="break-words">{[requesterOf(run), run.reason].filter(Boolean).join(': ')}</p>
      ) : (
        <Alert trigger={trigger} attached={attachedAlerts(trigger, run.attached_count)} />
      )}
      <Origin run={run} />
      {Object.keys(run.inputs).length > 0 && (
        <details className="mt-2">
          <summary className="text-muted-foreground">{words.inputs}</summary>
          <Data value={run.inputs} />
        </details>
      )}
    </Part>
  )
}

const ORIGIN: Readonly<Record<string, string>> = words.origin

/** The way by which a run came, as it is on record: its rule, its schedule, its skill, its delivery. */
function Origin({ run: { provenance } }: { run: Run }) {
  const trigger = Object.entries(provenance['trigger'] ?? {})
  const known = trigger.filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[0] !== 'type',
  )
  return (
    <div className="mt-2 text-sm">
      <Facts
        rows={known.map(([name, value]) => [
          ORIGIN[name] ?? name.replaceAll('_', ' '),
          name === 'parent_run_id' ? (
            <RunLink key={value} id={value} />
          ) : name.endsWith('_at') ? (
            <Time key={value} at={value} />
          ) : (
            value
          ),
        ])}
      />
    </div>
  )
}

function Alert({ trigger: { alert, members_cut }, attached }: { trigger: Trigger; attached: Attached }) {
  const { own, updated_at } = attached
  return (
    <>
      <Facts
        rows={[
          [words.alert, <b key="title">{alert.title}</b>],
          [words.severity, alert.severity],
          [words.service, alert.service],
          [words.source, alert.source],
          [words.status, alert.status],
          [words.description, alert.description],
          [words.labels, pairs(alert.labels)],
          [words.annotations, pairs(alert.annotations)],
          [words.values, pairs(alert.values ?? {})],
          [words.links, linksOf(alert).length > 0 && <Links key="links" alert={alert} />],
          [words.received, own && <Time key="received" at={own.received_at} />],
          [words.updated, updated_at && <Time key="updated" at={updated_at} />],
        ]}
      />
      {attached.count > 0 && <Others attached={attached} isCut={members_cut} />}
    </>
  )
}

const pairs = (texts: Record<string, string>) =>
  Object.entries(texts)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ')

function linksOf({ generator_url: own, links }: Trigger['alert']) {
  return own === undefined || own === '' ? links : [{ title: own, url: own }, ...links]
}

function Links({ alert }: Pick<Trigger, 'alert'>) {
  return (
    <ul>
      {linksOf(alert).map(({ title, url }) => (
        <li key={`${title} ${url}`} className="break-all">
          {/^https?:\/\//i.test(url) ? (
            <a href={url} target="_blank" rel="noreferrer noopener" className="link">
              {title}
            </a>
          ) : (
            `${title}: ${url}`
          )}
        </li>
      ))}
    </ul>
  )
}

function Others({ attached: { others, count }, isCut }: { attached: Attached; isCut: boolean }) {
  return (
    <details className="mt-2" open={others.length <= 5}>
      <summary className="text-muted-foreground">{words.others(count)}</summary>
      {isCut && <p className="text-muted-foreground">{words.members_cut}</p>}
      <ul>
        {others.map((member) => (
          <li key={member.member} className="border-b py-1">
            <span className="break-words font-medium">{member.title}</span>{' '}
            <span className="text-sm text-muted-foreground">
              {member.status} · {words.received} <Time at={member.received_at} /> · {words.updated}{' '}
              <Time at={member.updated_at} />
            </span>
            <span className="block break-words text-sm text-muted-foreground">{pairs(member.labels)}</span>
          </li>
        ))}
      </ul>
    </details>
  )
}
