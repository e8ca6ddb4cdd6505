import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { Asked } from '../../components/asked.tsx'
import { Refusal } from '../../components/checks.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { Time } from '../../components/facts.tsx'
import { PlainTable } from '../../components/plain-table.tsx'
import { workspacesQuery } from '../../lib/account-queries.ts'
import { tell } from '../../lib/toast.ts'
import { useMe } from '../../lib/use-me.ts'
import { ADMIN } from '../../strings/admin.ts'
import { type Halt, haltsAndLiftedQuery, liftHalt } from './api.ts'
import { scopeText } from './halt-scope.ts'
import { RefusedStarts } from './refused-starts.tsx'
import { SetHalt } from './set-halt.tsx'

const words = ADMIN.halts

const isActive = ({ lifted_at }: Halt) => lifted_at === undefined
const activeOf = (halts: Halt[]) => halts.filter(isActive)

/** The active halts, and what they and those lifted lately have refused. */
export function HaltsPart() {
  const client = useQueryClient()
  const me = useMe()
  const all = useQuery(haltsAndLiftedQuery)
  const halts = useQuery({ ...haltsAndLiftedQuery, select: activeOf })
  const workspaces = useQuery(workspacesQuery)
  // a halt that the address names may have been lifted long ago
  const named = useSearch({ from: '/admin', select: ({ name }) => name })
  const isLong = named !== undefined && all.data?.every(({ id }) => id !== named) === true
  const lift = useMutation({
    mutationFn: ({ id }: Halt) => liftHalt(id),
    onSuccess: (_done, { scope }) => tell(words.lift_done(scopeText(scope, workspaces.data))),
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
                    onYes={() => lift.mutate(halt)}
                  />
                ) : (
                  halt.may_lift.length > 0 && words.lifters(halt.may_lift)
                ),
              ],
            }))}
          />
        )}
      </Asked>
      {all.data?.map((halt) => (
        <RefusedStarts
          key={halt.id}
          halt={halt.id}
          title={isActive(halt) ? words.refused.of(halt.reason) : words.refused.of_lifted(halt.reason)}
          mayStart={!isActive(halt) && me.isOperator}
        />
      ))}
      {isLong && <RefusedStarts halt={named} title={words.refused.lifted} mayStart={me.isOperator} />}
      {me.isApprover && <SetHalt workspaces={workspaces.data ?? []} />}
    </>
  )
}
