import { useQuery } from '@tanstack/react-query'
import { Asked } from '../../components/asked.tsx'
import { PlainTable } from '../../components/plain-table.tsx'
import { POLICIES } from '../../strings/policies.ts'
import { touchesQuery } from './api.ts'
import { Outcome } from './outcome.tsx'

const words = POLICIES.touches

/** The steps of which a policy asks something. */
export function Touches({ name }: { name: string }) {
  const { columns } = words
  return (
    <section className="mt-6">
      <h2 className="mb-2 text-lg font-semibold">{words.title}</h2>
      <Asked query={useQuery(touchesQuery(name))} empty={words.empty}>
        {(touches) => (
          <PlainTable
            label={words.title}
            columns={[columns.template, columns.environment, columns.step, columns.effects, columns.outcome]}
            rows={touches.map(({ template, environment, step, operator, effects, outcome, because }) => ({
              key: `${template}:${environment}:${step}`,
              cells: [
                template,
                environment,
                <span key="step">
                  {step} <code className="block text-sm text-muted-foreground">{operator}</code>
                </span>,
                effects.map((effect) => POLICIES.effects[effect]).join(', '),
                <Outcome key="outcome" outcome={outcome} because={because} roles={[]} />,
              ],
            }))}
          />
        )}
      </Asked>
    </section>
  )
}
