import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Asked } from '../../components/asked.tsx'
import { FIELD, Field } from '../../components/field.tsx'
import { POLICIES } from '../../strings/policies.ts'
import { grantedEnvironmentsQuery, templatesQuery } from './api.ts'
import { ForecastTable } from './forecast-table.tsx'

const words = POLICIES.forecast

/** The outcome of each step of a template, in each environment of the workspace. */
export function Forecast() {
  const templates = useQuery(templatesQuery)
  const environments = useQuery(grantedEnvironmentsQuery)
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
      <Asked query={environments} empty={words.nowhere}>
        {() => template !== '' && <ForecastTable template={template} places={places} label={words.title} />}
      </Asked>
    </section>
  )
}
