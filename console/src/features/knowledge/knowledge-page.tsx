import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Asked } from '../../components/asked.tsx'
import { Button } from '../../components/button.tsx'
import { Refusal } from '../../components/checks.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Part } from '../../components/part.tsx'
import { PlainTable } from '../../components/plain-table.tsx'
import { Prose } from '../../components/prose.tsx'
import { useMe } from '../../lib/use-me.ts'
import { useTitle } from '../../lib/use-title.ts'
import { KNOWLEDGE as words } from '../../strings/knowledge.ts'
import { type Corpus, corporaQuery, indexCorpus } from './api.ts'
import { SearchForm } from './search-form.tsx'

/** The corpora, and the state of their index. */
export function KnowledgePage() {
  useTitle(words.title)
  const { columns } = words
  return (
    <>
      <PageHeader title={words.title} about={<Prose text={words.intro} />} />
      <Asked query={useQuery(corporaQuery)} empty={words.none}>
        {(corpora) => (
          <>
            <PlainTable
              label={words.title}
              columns={[columns.name, columns.source, columns.state, columns.size, columns.attached, columns.index]}
              rows={corpora.map((corpus) => ({ key: corpus.id, cells: cellsOf(corpus) }))}
            />
            <Part id="search" title={words.search.title}>
              <SearchForm corpora={corpora} />
            </Part>
          </>
        )}
      </Asked>
    </>
  )
}

function cellsOf(corpus: Corpus) {
  const { name, documents, chunks, vectors, attached_in } = corpus
  return [
    name,
    <span key="source" className="break-all">
      {sourceText(corpus.source)}
    </span>,
    <CorpusState key="state" corpus={corpus} />,
    <span key="size">
      {words.size(documents, chunks)}
      {vectors > 0 && <span className="block text-sm text-muted-foreground">{words.vectors(vectors)}</span>}
    </span>,
    attached_in.join(', ') || <span className="text-muted-foreground">{words.nowhere}</span>,
    <Index key="index" corpus={corpus} />,
  ]
}

function sourceText(source: Corpus['source']): string {
  if (source.kind === 'folder') return words.sources.folder(source.path)
  return source.kind === 'pack' ? words.sources.pack(source.pack) : words.sources.inline()
}

function CorpusState({ corpus: { state, pending, problems } }: { corpus: Corpus }) {
  return (
    <>
      <span className={state === 'ready' ? 'text-success' : 'text-warning'}>{words.states[state]}</span>
      {pending > 0 && <span className="block text-sm text-muted-foreground">{words.pending(pending)}</span>}
      {problems.length > 0 && (
        <details className="text-sm text-destructive">
          <summary className="cursor-pointer">
            {words.problems} ({problems.length})
          </summary>
          <ul>
            {problems.map(({ path, message }) => (
              <li key={path} className="break-words">
                {path}: {message}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

function Index({ corpus: { id } }: { corpus: Corpus }) {
  const client = useQueryClient()
  const me = useMe()
  const attempt = useMutation({
    mutationFn: () => indexCorpus(id),
    onSettled: () => void client.invalidateQueries({ queryKey: ['knowledge'] }),
  })
  if (!me.isAdmin) return null
  return (
    <>
      <Button disabled={attempt.isPending} onClick={() => attempt.mutate()}>
        {attempt.isPending ? words.indexing : words.index}
      </Button>
      <Refusal error={attempt.error} />
    </>
  )
}
