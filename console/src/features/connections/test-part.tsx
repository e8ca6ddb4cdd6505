import { type UseMutationResult, useQuery } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { FIELD, Field } from '../../components/field.tsx'
import { Status } from '../../components/status.tsx'
import { CONNECTIONS } from '../../strings/connections.ts'
import { grantedEnvironmentsQuery } from '../policies/api.ts'
import type { TestRequest, TestResult } from './api.ts'

const words = CONNECTIONS.test

interface Props {
  ask: string
  test: UseMutationResult<TestResult, Error, TestRequest>
  /** what was found does not hold any more */
  isStale?: boolean
  environment: string | undefined
  onPlace: (environment: string | undefined) => void
  onTest: () => void
}

/** Uses a connection once, under the egress rules of an environment, and says what was found. */
export function TestPart({ ask, test, isStale = false, environment, onPlace, onTest }: Props) {
  const { data: found } = test
  return (
    <section aria-label={words.title} className="rounded-lg border bg-card p-4">
      <h4 className="font-semibold">{words.title}</h4>
      <p className="mb-3 text-sm text-muted-foreground">{words.hint}</p>
      <div className="flex flex-wrap items-end gap-3">
        <EnvironmentChoice chosen={environment} onChoose={onPlace} />
        <Button disabled={test.isPending} onClick={onTest}>
          {test.isPending ? words.testing : ask}
        </Button>
      </div>
      <div role="status">
        {found !== undefined && !isStale && !test.isPending && (
          <p className="mt-3 break-words">
            <Status of={found.status} /> {found.detail}.{' '}
            <span className="text-muted-foreground">{words.found(found.environment, found.latency_ms)}</span>
          </p>
        )}
      </div>
    </section>
  )
}

/** The environment whose egress rules hold for a request. */
export function EnvironmentChoice({
  chosen = '',
  onChoose,
}: {
  chosen: string | undefined
  onChoose: (environment: string | undefined) => void
}) {
  const environments = useQuery(grantedEnvironmentsQuery).data ?? []
  return (
    <div className="min-w-0 max-sm:w-full sm:min-w-64">
      <Field name={words.environment}>
        <select
          className={FIELD}
          value={chosen}
          onChange={({ target }) => onChoose(target.value === '' ? undefined : target.value)}
        >
          <option value="">{words.usual}</option>
          {environments.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </Field>
    </div>
  )
}
