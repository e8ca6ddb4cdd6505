import { lazy, Suspense, useState } from 'react'
import { DOCUMENTS } from '../strings/documents.ts'
import type { YamlFieldProps } from './yaml-editor.tsx'

const YamlEditor = lazy(async () => ({ default: (await import('./yaml-editor.tsx')).YamlEditor }))

/** YAML as it is written, with what is wrong in it: marked in its lines, and as a list that leads there. */
export function YamlField(props: YamlFieldProps) {
  const { problems = [], readOnly = false } = props
  const [caret, setCaret] = useState<YamlFieldProps['caret']>()
  return (
    <div>
      <Suspense fallback={<p role="status">{DOCUMENTS.editor_loading}</p>}>
        <YamlEditor {...props} caret={caret} />
      </Suspense>
      {!readOnly && <p className="text-sm text-muted-foreground">{DOCUMENTS.editor_hint}</p>}
      {problems.length > 0 && (
        <section aria-label={DOCUMENTS.problems} aria-live="polite" className="mt-2">
          <ul className="space-y-1">
            {problems.map((problem) => (
              <li key={`${problem.line}:${problem.column}:${problem.message}`} className="break-words">
                <span
                  className={problem.warning === true ? 'font-medium text-warning' : 'font-medium text-destructive'}
                >
                  {problem.warning === true ? DOCUMENTS.warning : DOCUMENTS.error}
                </span>{' '}
                {problem.line !== undefined && (
                  <button
                    type="button"
                    className="link"
                    onClick={() => setCaret({ line: problem.line, column: problem.column })}
                  >
                    {DOCUMENTS.place(problem.line, problem.column)}
                  </button>
                )}{' '}
                {problem.message}
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}
