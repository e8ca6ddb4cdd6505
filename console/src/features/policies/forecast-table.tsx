import { useQuery } from '@tanstack/react-query'
import { Asked } from '../../components/asked.tsx'
import { PlainTable } from '../../components/plain-table.tsx'
import { Empty } from '../../components/states.tsx'
import { POLICIES } from '../../strings/policies.ts'
import { forecastQuery } from './api.ts'
import { Outcome } from './outcome.tsx'

const words = POLICIES.forecast

/** The outcome of each step of one template, in each of these environments. */
export function ForecastTable({ template, places, label }: { template: string; places: string[]; label: string }) {
  const forecast = useQuery(forecastQuery(template, places))
  return (
    <Asked query={forecast}>
      {(answers) => {
        const steps = answers[0]?.steps ?? []
        if (steps.length === 0) return <Empty>{words.none}</Empty>
        return (
          <PlainTable
            label={label}
            columns={[words.step, ...places]}
            rows={steps.map(({ step, operator }, row) => ({
              key: step,
              cells: [
                <span key="step">
                  {step} <code className="block text-sm text-muted-foreground">{operator}</code>
                </span>,
                ...answers.map(({ environment, denied = [], steps: there = [] }) => {
                  const found = there[row]
                  if (denied.length > 0)
                    return <Outcome key={environment} outcome="deny" because={[words.refused, ...denied]} roles={[]} />
                  if (found === undefined) return ''
                  const { outcome, because, approval_roles } = found
                  return <Outcome key={environment} outcome={outcome} because={because} roles={approval_roles} />
                }),
              ],
            }))}
          />
        )
      }}
    </Asked>
  )
}
