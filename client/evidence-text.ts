/** What the steps before a gate have found, on one line. */
export function evidenceText({ evidence }: { evidence: readonly { excerpt?: string | undefined }[] }): string {
  const lines = evidence.flatMap(({ excerpt = '' }) => excerpt.split('\n')).map((line) => line.trim())
  return lines.filter((line) => line !== '' && !line.endsWith(':')).join(' · ')
}
