import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Schema } from '../../../../client/create-client.ts'
import { Asked } from '../../components/asked.tsx'
import { Button } from '../../components/button.tsx'
import { Refusal } from '../../components/checks.tsx'
import { api, given } from '../../lib/api.ts'
import { ME } from '../../strings/me.ts'
import { answeringQuery, meQuery } from './api.ts'

const words = ME.answering

type Account = Schema<'AnsweringAccount'>

/** Service accounts that could answer gates for the user, and those that may. */
export function AnsweringAccounts() {
  const client = useQueryClient()
  const change = useMutation({
    mutationFn: async ({ id, named }: Account) => {
      const params = { params: { path: { id } } }
      return given(
        named
          ? await api.DELETE('/auth/me/answering-accounts/{id}', params)
          : await api.PUT('/auth/me/answering-accounts/{id}', params),
      )
    },
    onSuccess: (me) => {
      client.setQueryData(meQuery.queryKey, me)
      return client.invalidateQueries({ queryKey: answeringQuery.queryKey })
    },
  })
  return (
    <section aria-label={words.title} className="mt-6 max-w-prose space-y-3">
      <h2 className="text-lg font-semibold">{words.title}</h2>
      <p className="text-muted-foreground">{words.intro}</p>
      <Asked query={useQuery(answeringQuery)} empty={words.empty}>
        {(accounts) => (
          <ul className="space-y-2">
            {accounts.map((account) => (
              <li key={account.id} className="flex flex-wrap items-center gap-2">
                <span className="min-w-0 grow">
                  <bdi className="font-medium">{account.display}</bdi>
                  {account.email !== undefined && account.email !== account.display && (
                    <bdi className="text-muted-foreground"> {account.email}</bdi>
                  )}
                  <span className={`block text-sm ${account.answers ? 'text-warning' : 'text-muted-foreground'}`}>
                    {stateOf(account)}
                  </span>
                </span>
                <Button
                  variant={account.named ? 'destructive' : 'outline'}
                  disabled={change.isPending}
                  aria-label={account.named ? words.stop_named(account.display) : words.let_named(account.display)}
                  onClick={() => change.mutate(account)}
                >
                  {account.named ? words.stop : words.let}
                </Button>
              </li>
            ))}
          </ul>
        )}
      </Asked>
      <Refusal error={change.error} />
    </section>
  )
}

function stateOf({ named, answers }: Account): string {
  if (answers) return words.answers
  return named ? words.cannot : words.not
}
