import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Asked } from '../../components/asked.tsx'
import { FIELD, Field } from '../../components/field.tsx'
import { PlainTable } from '../../components/plain-table.tsx'
import { Empty } from '../../components/states.tsx'
import { POLICIES } from '../../words/policies.ts'
import { environmentsQuery, forecastQuery, templatesQuery } from './api.ts'
import { Outcome } from './outcome.tsx'

const words = POLICIES.forecast

/** What would become of each step of a template, in each environment of the workspace. */
export function Forecast() {
  const templates = useQuery(templatesQuery)
  const environments = useQuery(environmentsQuery)
  const [chosen, setChosen] = useState<string>()
  const names = (templates.data ?? []).map(({ pack, template }) => `${pack}/${template}`)
  const places = (environments.data ?? []).map(({ name }) => name)
  const template = chosen ?? names[0] ?? ''
  return (
    <section className="mt-8">
      <h2 className="mb-2 text-lg font-semibold">{words.title}</h2>
      <Asked query={templates} empty={words.none}>
        {() => (
          <Field name={words.template} hint={words.hint}>
            <select className={FIELD} value={template} onChange={({ target }) => setChosen(target.value)}>
              {names.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </Field>
        )}
      </Asked>
      <Asked query={environments}>{() => template !== '' && <Table template={template} places={places} />}</Asked>
    </section>
  )
}

function Table({ template, places }: { template: string; places: string[] }) {
  const forecast = useQuery(forecastQuery(template, places))
  return (
    <Asked query={forecast}>
      {(answers) => {
        const steps = answers[0]?.steps ?? []
        if (steps.length === 0) return <Empty>{words.none}</Empty>
        return (
          <PlainTable
            label={words.title}
            columns={[words.step, ...places]}
            rows={steps.map(({ step, operator }, row) => ({
              key: step,
              cells: [
                <span key="step">
                  {step} <code className="block text-sm text-soft">{operator}</code>
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
