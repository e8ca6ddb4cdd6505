import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Refusal } from '../../components/checks.tsx'
import { Data } from '../../components/facts.tsx'
import { Status } from '../../components/status.tsx'
import { CONNECTIONS } from '../../strings/connections.ts'
import { acceptTool, type Connection, discoverTools, type Tool, toolsQuery, withdrawTool } from './api.ts'
import { EnvironmentChoice } from './test-part.tsx'

const words = CONNECTIONS.tools

/** The tools of an MCP server: what it says of each, what has changed, and the acceptance by a person. */
export function ToolsPart({ connection: { id }, mayWrite }: { connection: Connection; mayWrite: boolean }) {
  const client = useQueryClient()
  const [environment, setEnvironment] = useState<string>()
  const tools = useQuery(toolsQuery(id))
  const discover = useMutation({
    mutationFn: () => discoverTools(id, environment),
    onSuccess: () => client.invalidateQueries({ queryKey: ['connections', id, 'tools'] }),
  })
  return (
    <section aria-label={words.title} className="rounded-lg border bg-card p-4">
      <h4 className="font-semibold">{words.title}</h4>
      <p className="mb-3 text-sm text-muted-foreground">{words.hint}</p>
      {mayWrite && (
        <div className="flex flex-wrap items-end gap-3">
          <EnvironmentChoice chosen={environment} onChoose={setEnvironment} />
          <Button disabled={discover.isPending} onClick={() => discover.mutate()}>
            {words.discover}
          </Button>
        </div>
      )}
      <Refusal error={discover.error ?? tools.error} />
      {discover.data?.left_out.map(({ name, why }) => (
        <p key={name} className="mt-2 text-sm wrap-anywhere text-muted-foreground">
          {words.left_out(name, why)}
        </p>
      ))}
      <ul className="mt-3 divide-y">
        {tools.data?.map((tool) => (
          <ToolRow key={tool.name} id={id} tool={tool} mayWrite={mayWrite} />
        ))}
      </ul>
      {tools.data?.length === 0 && <p className="mt-3 text-muted-foreground">{words.none}</p>}
    </section>
  )
}

function ToolRow({ id, tool, mayWrite }: { id: string; tool: Tool; mayWrite: boolean }) {
  const client = useQueryClient()
  const onSuccess = () => client.invalidateQueries({ queryKey: ['connections', id, 'tools'] })
  const accept = useMutation({ mutationFn: (effect: 'read' | 'write') => acceptTool(id, tool, effect), onSuccess })
  const withdraw = useMutation({ mutationFn: () => withdrawTool(id, tool), onSuccess })
  const { name, state, accepted, changes = [], close_to, description, input_schema, output_schema, annotations } = tool
  const isOpen = state === 'new' || state === 'changed'
  return (
    <li className="py-3">
      <details open={state === 'changed'}>
        <summary className="cursor-pointer wrap-anywhere">
          <span className="font-mono">{name}</span> <Status of={state} />{' '}
          {accepted !== undefined && <span className="text-muted-foreground">{words.effect[accepted.effect]}</span>}
        </summary>
        {close_to !== undefined && (
          <p role="alert" className="my-2 text-destructive">
            {words.close_to(close_to)}
          </p>
        )}
        {changes.map(({ member, before, after }) => (
          <div key={member} className="my-2">
            <p className="font-semibold">{words.changed(member)}</p>
            <pre className="rounded bg-muted p-2 text-sm whitespace-pre-wrap wrap-anywhere text-destructive">
              - {before ?? words.nothing}
            </pre>
            <pre className="rounded bg-muted p-2 text-sm whitespace-pre-wrap wrap-anywhere text-success">
              + {after ?? words.nothing}
            </pre>
          </div>
        ))}
        <p className="my-2 whitespace-pre-wrap wrap-anywhere">{description}</p>
        <Data value={{ input_schema, output_schema, annotations }} />
        {mayWrite && (
          <span className="mt-2 flex flex-wrap gap-2">
            {isOpen && (
              <>
                <Button disabled={accept.isPending} onClick={() => accept.mutate('write')}>
                  {words.accept_write}
                </Button>
                <Button disabled={accept.isPending} onClick={() => accept.mutate('read')}>
                  {words.accept_read}
                </Button>
              </>
            )}
            {accepted !== undefined && (
              <Button disabled={withdraw.isPending} onClick={() => withdraw.mutate()}>
                {words.withdraw}
              </Button>
            )}
          </span>
        )}
        <Refusal error={accept.error ?? withdraw.error} />
      </details>
    </li>
  )
}
