import { useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { Data } from '../../components/facts.tsx'
import { Empty, Failed, Loading } from '../../components/states.tsx'
import { ApiError } from '../../lib/api.ts'
import { ownSearch } from '../../lib/read-search.ts'
import { visibleText } from '../../lib/text.ts'
import { useTitle } from '../../lib/use-title.ts'
import { KNOWLEDGE } from '../../strings/knowledge.ts'
import { chunkQuery } from './api.ts'

const words = KNOWLEDGE.chunk

/** A cited chunk of a document, as long as the document contains it. */
export function ChunkPage() {
  const { id } = useParams({ from: '/knowledge/$id' })
  const search = useSearch({ from: '/knowledge/$id', select: ownSearch })
  const { data, error, isPending, refetch } = useQuery(chunkQuery(id, search))
  useTitle(search.path, words.title)
  if (isPending) return <Loading />
  const isGone = error instanceof ApiError && error.status === 404
  return (
    <>
      <Link to="/knowledge" className="link">
        {words.back}
      </Link>
      <h1 className="my-2 break-words text-xl font-semibold sm:text-2xl">{data?.path ?? words.title}</h1>
      {data === undefined && isGone && <Empty>{words.gone}</Empty>}
      {data === undefined && !isGone && <Failed error={error} again={() => void refetch()} />}
      {data !== undefined && (
        <>
          <p className="mb-2 break-words text-muted-foreground">
            {words.at(data.corpus, data.from_line, data.to_line)}
            {data.heading !== undefined && ` ${data.heading}`}
          </p>
          <Data value={visibleText(data.text)} />
        </>
      )}
    </>
  )
}
