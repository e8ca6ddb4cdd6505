/** What `work` gives, or after `ms` what `late` gives or throws. The work itself goes on. */
export async function within<Value, Late>(ms: number, work: Promise<Value>, late: () => Late): Promise<Value | Late> {
  let timer: NodeJS.Timeout | undefined
  const passed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  return await Promise.race([work, passed.then(late)]).finally(() => clearTimeout(timer))
}
