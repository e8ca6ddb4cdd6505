import { useQuery } from '@tanstack/react-query'
import { Asked } from '../../components/asked.tsx'
import { PlainTable } from '../../components/plain-table.tsx'
import { Prose } from '../../components/prose.tsx'
import { Empty } from '../../components/states.tsx'
import { TRIGGERS } from '../../strings/triggers.ts'
import { type Rule, startersQuery, type TriedRule } from './api.ts'
import { PartLink } from './part-link.tsx'

const words = TRIGGERS.rules

/** The rules of all layers as they are tried, those of the console that are broken, and signed ingress. */
export function RuleList({ list, mayWrite }: { list: Rule[]; mayWrite: boolean }) {
  const starters = useQuery(startersQuery)
  const broken = list.filter(({ on }) => on === undefined)
  const { ingress_columns: columns } = words
  return (
    <>
      <p className="mb-3 max-w-prose text-muted-foreground">{words.intro}</p>
      {mayWrite && (
        <p className="mb-3">
          <PartLink part="rules" create>
            {words.create}
          </PartLink>
        </p>
      )}
      {broken.length > 0 && (
        <section className="mb-3">
          <h3 className="font-semibold text-destructive">{words.broken_title}</h3>
          <ul>
            {broken.map(({ name }) => (
              <li key={name}>
                <PartLink part="rules" name={name}>
                  {name}
                </PartLink>{' '}
                {words.broken}
              </li>
            ))}
          </ul>
        </section>
      )}
      <Asked query={starters}>
        {({ rules, ingress }) => (
          <>
            {rules.length === 0 ? <Empty>{words.empty}</Empty> : <Tried rules={rules} />}
            {ingress.length > 0 && (
              <section className="mt-6">
                <h3 className="mb-1 font-semibold">{words.ingress}</h3>
                <p className="mb-2 text-muted-foreground">{words.ingress_intro}</p>
                <PlainTable
                  label={words.ingress}
                  columns={[columns.path, columns.scheme, columns.rules]}
                  rows={ingress.map(({ path, scheme, rules: own }) => ({
                    key: path,
                    cells: [
                      <code key="path" className="break-all text-sm">
                        {path}
                      </code>,
                      scheme,
                      <ul key="rules">
                        {own.map((rule) => (
                          <li key={rule.name}>
                            {rule.name} → {rule.run} <Match rule={rule} />
                          </li>
                        ))}
                      </ul>,
                    ],
                  }))}
                />
              </section>
            )}
          </>
        )}
      </Asked>
    </>
  )
}

function Tried({ rules }: { rules: TriedRule[] }) {
  const { columns } = words
  return (
    <PlainTable
      label={TRIGGERS.parts.rules}
      columns={[columns.place, columns.name, columns.layer, columns.match, columns.run]}
      rows={rules.map((rule, place) => ({
        key: `${rule.layer}:${rule.origin}:${rule.name}`,
        cells: [
          place + 1,
          <span key="name">
            {rule.layer === 'console' ? (
              <PartLink part="rules" name={rule.name}>
                {rule.name}
              </PartLink>
            ) : (
              rule.name
            )}
            <span className="block text-sm text-muted-foreground">
              <Prose text={rule.description} />
            </span>
          </span>,
          <span key="layer">
            {words.layers[rule.layer]} <span className="block text-sm text-muted-foreground">{rule.origin}</span>
          </span>,
          <Match key="match" rule={rule} />,
          <span key="run">
            {rule.run}
            <span className="block text-sm text-muted-foreground">
              {[rule.environment, rule.profile].filter(Boolean).join(', ')}
            </span>
          </span>,
        ],
      }))}
    />
  )
}

/** The conditions on an alert; all must match. */
function Match({ rule: { on, match = {} } }: { rule: TriedRule }) {
  const { source, service, symptom, severity = [], labels = {}, when } = match
  const parts = [
    ['source', source],
    ['service', service],
    ['symptom', Array.isArray(symptom) ? symptom.join(' or ') : symptom],
    ['severity', severity.join(' or ')],
    ...Object.entries(labels),
    ['when', when],
  ].filter(([, value]) => value !== undefined && value !== '')
  return (
    <span className="text-sm">
      {on}
      {': '}
      {parts.map(([name, value]) => `${name} ${value}`).join(', ') || words.everything}
    </span>
  )
}
