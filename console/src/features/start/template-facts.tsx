import { useQuery } from '@tanstack/react-query'
import { Asked } from '../../components/asked.tsx'
import { POLICIES } from '../../strings/policies.ts'
import { START } from '../../strings/start.ts'
import { grantedEnvironmentsQuery } from '../policies/api.ts'
import { ForecastTable } from '../policies/forecast-table.tsx'
import type { Contract } from './api.ts'
import { propertiesOf } from './form-schema.ts'

/** The inputs, needs and possible gates of a template, in every environment that the workspace may use. */
export function TemplateFacts({ contract }: { contract: Contract }) {
  const environments = useQuery(grantedEnvironmentsQuery)
  const { pack, template, environment, inputs, ui, integrations } = contract
  const required = Array.isArray(inputs['required']) ? inputs['required'] : []
  const secret = ui.secret.map((pointer) => pointer.slice(1))
  const capabilities = [...new Set(contract.plan.flatMap((step) => step.capabilities))]
  return (
    <div className="space-y-4">
      <div className="grid gap-4 md:grid-cols-2">
        <section>
          <h3 className="font-semibold">{START.inputs}</h3>
          {ui.order.length === 0 ? (
            <p className="text-muted-foreground">{START.no_inputs}</p>
          ) : (
            <ul>
              {Object.entries(propertiesOf(inputs)).map(([name, { title }]) => (
                <li key={name} className="break-words">
                  <code>{name}</code>{' '}
                  {[
                    typeof title === 'string' ? title : '',
                    required.includes(name) ? START.required : '',
                    secret.includes(name) ? START.secret : '',
                  ]
                    .filter((part) => part !== '')
                    .join(', ')}
                </li>
              ))}
            </ul>
          )}
        </section>
        <section>
          <h3 className="font-semibold">{START.needs}</h3>
          {integrations.length + capabilities.length === 0 && <p className="text-muted-foreground">{START.no_needs}</p>}
          <ul>
            {integrations.map(({ connection, kind, required: isNeeded, status }) => (
              <li key={connection} className="break-words">
                <code>{connection}</code> ({kind}
                {isNeeded ? '' : `, ${START.optional}`}):{' '}
                <span className={status === 'bound' ? 'text-success' : isNeeded ? 'text-destructive' : 'text-warning'}>
                  {START.connection[status](environment)}
                </span>
              </li>
            ))}
            {capabilities.length > 0 && (
              <li className="break-words">
                {START.capabilities}: <code>{capabilities.join(', ')}</code>
              </li>
            )}
          </ul>
        </section>
      </div>
      <section>
        <h3 className="mb-1 font-semibold">{START.asks}</h3>
        <Asked query={environments} empty={POLICIES.forecast.nowhere}>
          {(list) => (
            <ForecastTable template={`${pack}/${template}`} places={list.map(({ name }) => name)} label={START.asks} />
          )}
        </Asked>
      </section>
    </div>
  )
}
