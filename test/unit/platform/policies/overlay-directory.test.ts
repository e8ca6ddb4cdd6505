import files from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { expect, it, onTestFinished, vi } from 'vitest'
import { openOverlayDirectory } from '#platform/policies/overlay-directory.ts'
import { NO_POLICY_FILES } from '#platform/policies/policy-files.ts'

it('a directory that does not answer is told to anyone who judges, and is believed again once it does', async () => {
  const list = vi.spyOn(files, 'readdir')
  syncBuiltinESMExports()
  onTestFinished(() => {
    list.mockRestore()
    syncBuiltinESMExports()
  })
  const directory = openOverlayDirectory('/nowhere', {
    poll_ms: 3_600_000,
    answer_ms: 30,
    expected: false,
    onChange: () => undefined,
    onHeld: () => undefined,
    clock: Date.now,
  })
  expect(await directory.current()).toBe(NO_POLICY_FILES.layer)
  let answer: (names: []) => void = () => undefined
  list.mockReturnValueOnce(
    new Promise((resolve) => {
      answer = resolve
    }),
  )
  const asked = await Promise.allSettled([directory.current(), directory.current()])
  for (const each of asked)
    expect(each).toMatchObject({ reason: { message: expect.stringContaining('has not answered') } })
  answer([])
  expect(await directory.current()).toBe(NO_POLICY_FILES.layer)
  await directory.close()
})
