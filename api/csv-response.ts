/** CSV as a download, piece by piece as the reader takes it. */
export function csvResponse(name: string, pieces: AsyncGenerator<string, void>) {
  const bytes = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await pieces.next()
      if (done) controller.close()
      else controller.enqueue(bytes.encode(value))
    },
    async cancel() {
      await pieces.return()
    },
  })
  return new Response(body, {
    status: 200,
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${name}"`,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    },
  })
}
