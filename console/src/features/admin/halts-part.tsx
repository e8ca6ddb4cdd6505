import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { Asked } from '../../components/asked.tsx'
import { Refusal } from '../../components/checks.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { Time } from '../../components/facts.tsx'
import { PlainTable } from '../../components/plain-table.tsx'
import { tell } from '../../lib/toast.ts'
import { useMe } from '../../lib/use-me.ts'
import { workspacesQuery } from '../../lib/workspaces.ts'
import { ADMIN } from '../../strings/admin.ts'
import { type Halt, haltsQuery, liftHalt } from './api.ts'
import { scopeText } from './halt-scope.ts'
import { RefusedStarts } from './refused-starts.tsx'
import { SetHalt } from './set-halt.tsx'

const words = ADMIN.halts

/** The active halts. */
export function HaltsPart() {
  const client = useQueryClient()
  const me = useMe()
  const halts = useQuery(haltsQuery)
  const workspaces = useQuery(workspacesQuery)
  const [lifted, setLifted] = useState<string>()
  // a halt that the address names is over when it is not in the list
  const named = useSearch({ from: '/admin', select: ({ name }) => name })
  const over = [...new Set([lifted, named])].filter(
    (id): id is string => id !== undefined && halts.data?.every((halt) => halt.id !== id) === true,
  )
  const lift = useMutation({
    mutationFn: liftHalt,
    onSuccess(_done, id) {
      setLifted(id)
      tell(words.lift_done)
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['halts'] }),
  })
  const mayLift = ({ scope }: Halt) =>
    me.isAdmin && (scope.workspace === undefined ? me.isAdminOfAll : me.mayEnter(scope.workspace))
  const { columns } = words
  return (
    <>
      <Refusal error={lift.error} />
      <Asked query={halts} empty={words.empty}>
        {(list) => (
          <PlainTable
            label={ADMIN.parts.halts}
            columns={[columns.scope, columns.reason, columns.by, columns.since, columns.held, columns.change]}
            rows={list.map((halt) => ({
              key: halt.id,
              cells: [
                scopeText(halt.scope, workspaces.data),
                halt.reason,
                halt.by.display,
                <Time key="since" at={halt.created_at} />,
                halt.held.runs,
                mayLift(halt) ? (
                  <Confirm
                    key="lift"
                    ask={words.lift}
                    question={words.lift_sure(halt.reason)}
                    yes={words.lift_yes}
                    no={words.keep}
                    busy={lift.isPending}
                    onYes={() => lift.mutate(halt.id)}
                  />
                ) : (
                  halt.may_lift.length > 0 && words.lifters(halt.may_lift)
                ),
              ],
            }))}
          />
        )}
      </Asked>
      {halts.data?.map(({ id, reason }) => (
        <RefusedStarts key={id} halt={id} title={words.refused.of(reason)} mayStart={false} />
      ))}
      {over.map((id) => (
        <RefusedStarts key={id} halt={id} title={words.refused.lifted} mayStart={me.isOperator} />
      ))}
      {me.isApprover && <SetHalt workspaces={workspaces.data ?? []} />}
    </>
  )
}
