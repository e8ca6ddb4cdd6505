import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Asked } from '../../components/asked.tsx'
import { buttonClasses } from '../../components/button.tsx'
import { Prose } from '../../components/prose.tsx'
import { Risk } from '../../components/status.tsx'
import { useMe } from '../../lib/use-me.ts'
import { START } from '../../strings/start.ts'
import { contractQuery, type Template } from './api.ts'
import { TemplateFacts } from './template-facts.tsx'

/** A template in the list; its needs and gates are loaded when it is opened. */
export function TemplateCard({ item, isMarked }: { item: Template; isMarked: boolean }) {
  const me = useMe()
  const [open, setOpen] = useState(false)
  const { pack, template, title, description, risk, action_types, version } = item
  const name = `${pack}/${template}`
  return (
    <li
      aria-current={isMarked ? 'true' : undefined}
      className={`rounded-lg border bg-card p-4 ${isMarked ? 'border-primary' : 'border-border'}`}
    >
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <h2 className="min-w-0 break-words font-semibold">
          <Link to="/start/$pack/$template" params={{ pack, template }} className="link">
            {title}
          </Link>
        </h2>
        <code className="break-all text-sm text-muted-foreground">
          {name} {version}
        </code>
        <Risk of={risk} />
        {me.isOperator && (
          <Link
            to="/start/$pack/$template"
            params={{ pack, template }}
            aria-label={START.start(name)}
            className={buttonClasses({ size: 'sm', className: 'ml-auto' })}
          >
            {START.start_short}
          </Link>
        )}
      </div>
      {description !== undefined && (
        <p className="mt-1 break-words text-sm">
          <Prose text={description} />
        </p>
      )}
      {action_types.length > 0 && (
        <p className="break-words text-sm text-muted-foreground">{action_types.join(', ')}</p>
      )}
      <details className="mt-2" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className="cursor-pointer text-primary">{START.look(name)}</summary>
        {open && <Details pack={pack} template={template} />}
      </details>
    </li>
  )
}

function Details(of: { pack: string; template: string }) {
  return <Asked query={useQuery(contractQuery(of))}>{(contract) => <TemplateFacts contract={contract} />}</Asked>
}
