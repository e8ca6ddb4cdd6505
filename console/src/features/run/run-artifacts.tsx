import { useMutation, useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { Copyable } from '../../components/copyable.tsx'
import { Part } from '../../components/part.tsx'
import { Empty, Failed, Loading } from '../../components/states.tsx'
import { saveFile } from '../../lib/save-file.ts'
import { visibleLine } from '../../lib/text.ts'
import { STRINGS } from '../../strings.ts'
import { type Artifact, artifactsQuery, readArtifact } from './api.ts'

const words = STRINGS.run
const REPORT = 'report.md'
const RunReport = lazy(() => import('./run-report.tsx'))

/** The files of a run, and its report. */
export function RunArtifacts({ id }: { id: string }) {
  const { data: artifacts, error, isPending, refetch } = useQuery(artifactsQuery(id))
  const report = artifacts?.findLast(({ name }) => name === REPORT)
  return (
    <Part id="files" title={words.files}>
      {isPending && <Loading />}
      {error !== null && <Failed error={error} again={() => void refetch()} />}
      {artifacts?.length === 0 && <Empty>{words.no_files}</Empty>}
      <ul>
        {artifacts?.map((artifact) => (
          <File key={artifact.id} artifact={artifact} />
        ))}
      </ul>
      {report !== undefined && (
        <Suspense fallback={<Loading />}>
          <RunReport id={id} digest={report.digest} />
        </Suspense>
      )}
    </Part>
  )
}

function File({ artifact }: { artifact: Artifact }) {
  const { run_id, name, step, size_bytes, digest } = artifact
  const shown = visibleLine(name)
  const download = useMutation({
    mutationFn: () => readArtifact(run_id, name),
    onSuccess: (content) => saveFile(content, shown),
  })
  return (
    <li className="border-b py-1">
      <span className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
        <button
          type="button"
          aria-label={words.download(shown)}
          disabled={download.isPending}
          onClick={() => download.mutate()}
          className="min-w-0 break-all text-left font-medium link"
        >
          {shown}
        </button>
        <span className="text-sm text-muted-foreground">
          {step} · {words.bytes(size_bytes.toLocaleString())}
        </span>
        <Copyable text={digest} isShort />
      </span>
      {download.error !== null && <Failed error={download.error} />}
    </li>
  )
}
