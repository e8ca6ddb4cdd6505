import { expect, it, vi } from 'vitest'
import { openOverlayDirectory } from '#platform/policies/overlay-directory.ts'
import { NO_POLICY_FILES, readPolicyFiles } from '#platform/policies/policy-files.ts'

vi.mock('#platform/policies/policy-files.ts', async (original) => ({ ...(await original()), readPolicyFiles: vi.fn() }))

it('a directory that does not answer is told to anyone who judges, and is believed again once it does', async () => {
  const found = { found: NO_POLICY_FILES, moving: false }
  const read = vi.mocked(readPolicyFiles).mockResolvedValue(found)
  const directory = openOverlayDirectory('/nowhere', {
    poll_ms: 3_600_000,
    answer_ms: 30,
    expected: false,
    onChange: () => undefined,
    onHeld: () => undefined,
    clock: Date.now,
  })
  expect(await directory.current()).toBe(NO_POLICY_FILES.layer)
  let answer: (look: typeof found) => void = () => undefined
  read.mockReturnValueOnce(
    new Promise((resolve) => {
      answer = resolve
    }),
  )
  const asked = await Promise.allSettled([directory.current(), directory.current()])
  for (const each of asked)
    expect(each).toMatchObject({ reason: { message: expect.stringContaining('has not answered') } })
  answer(found)
  expect(await directory.current()).toBe(NO_POLICY_FILES.layer)
  await directory.close()
})
