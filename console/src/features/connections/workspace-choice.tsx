import { useQuery } from '@tanstack/react-query'
import { Checks } from '../../components/checks.tsx'
import { FieldError } from '../../components/field.tsx'
import { workspacesQuery } from '../../lib/account-queries.ts'
import { CONNECTIONS } from '../../strings/connections.ts'

interface Props {
  chosen: readonly string[]
  error: string | undefined
  onChange: (slugs: string[]) => void
}

/** Any of the workspaces, or all of them, also those to come. */
export function WorkspaceChoice({ chosen, error, onChange }: Props) {
  const workspaces = useQuery(workspacesQuery).data ?? []
  const { every } = CONNECTIONS
  const isEvery = chosen.includes('*')
  const slugs = [...new Set([...workspaces.map(({ slug }) => slug), ...chosen])].filter((slug) => slug !== '*')
  return (
    <div>
      <Checks
        legend={CONNECTIONS.form.workspaces}
        choices={isEvery ? [every] : [every, ...slugs]}
        chosen={isEvery ? [every] : chosen}
        onChange={(next) => {
          if (next.includes(every)) onChange(['*'])
          else onChange(isEvery ? slugs : next)
        }}
      />
      <FieldError error={error} />
    </div>
  )
}
