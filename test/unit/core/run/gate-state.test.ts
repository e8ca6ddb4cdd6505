import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CancelCommand, GateCommand, RunInput } from '#core/contract.ts'
import { acceptCancel, acceptCommand, nextSettlement, openGate, refuseCommand } from '#core/run/gate-state.ts'

const INPUT = { run_id: 'run_1', workspace_id: 'ws_1' } as RunInput
const parked = (approvals = 1) => ({
  gate_id: 'gate_1',
  step: 'act',
  plan_hash: 'sha256:x',
  expires_at: '2030-01-01T00:00:00.000Z',
  required: { approvals, approval_roles: [], prevent_self: false },
  requested_by: null,
})
const command = (n: number, kind: GateCommand['kind']): GateCommand => ({
  gate_id: 'gate_1',
  decision_id: `dec_${n}`,
  kind,
  by: `usr_${n}`,
  display: `${n}`,
  roles: [],
  channel: 'api',
  asserted: false,
})
const cancel: CancelCommand = {
  by: 'usr_c',
  display: 'c',
  roles: [],
  channel: 'api',
  asserted: false,
  decision_id: 'dec_c',
}

const anyHand = fc.constantFrom('approve', 'reject', 'dismiss', 'cleared', 'cancel', 'expire')

describe('a gate under many hands', () => {
  test('exactly one resolution comes out, whatever arrives in whatever order', () => {
    fc.assert(
      fc.property(
        fc.array(anyHand, { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 3 }),
        (hands, quorum) => {
          const gate = openGate(parked(quorum))
          const resolutions: string[] = []
          const settle = () => {
            const settlement = nextSettlement(gate, INPUT)
            if (settlement.resolution !== null) resolutions.push(settlement.resolution)
          }
          hands.forEach((hand, n) => {
            if (resolutions.length > 0) return
            if (hand === 'cancel') acceptCancel(gate, cancel)
            else if (hand !== 'expire' && refuseCommand(gate, command(n, hand)) === undefined)
              acceptCommand(gate, command(n, hand))
            else if (hand === 'expire' && gate.line.length === 0) settle()
          })
          while (gate.line.length > 0) settle()
          expect(resolutions.length).toBeLessThanOrEqual(1)
          if (gate.claimed !== null) expect(resolutions).toEqual([gate.claimed])
        },
      ),
      { numRuns: 2_000 },
    )
  })

  test('whoever comes after the claim is refused, before anything is recorded', () => {
    const gate = openGate(parked())
    acceptCommand(gate, command(1, 'approve'))
    expect(refuseCommand(gate, command(2, 'reject'))).toBe('gate_resolved')
    expect(nextSettlement(gate, INPUT)).toMatchObject({ resolution: 'approved', approvals: { have: 1, need: 1 } })
  })

  test('an approval below the quorum is recorded and resolves nothing', () => {
    const gate = openGate(parked(2))
    acceptCommand(gate, command(1, 'approve'))
    expect(nextSettlement(gate, INPUT)).toMatchObject({ resolution: null, approvals: { have: 1, need: 2 } })
    expect(refuseCommand(gate, command(1, 'approve'))).toBe('conflict')
    acceptCommand(gate, command(2, 'approve'))
    expect(nextSettlement(gate, INPUT)).toMatchObject({ resolution: 'approved' })
  })

  test('two approvals in line are recorded in order, and only the second resolves', () => {
    const gate = openGate(parked(2))
    acceptCommand(gate, command(1, 'approve'))
    acceptCommand(gate, command(2, 'approve'))
    expect(nextSettlement(gate, INPUT).resolution).toBeNull()
    expect(nextSettlement(gate, INPUT).resolution).toBe('approved')
  })

  test('a decision for another gate is refused', () => {
    expect(refuseCommand(openGate(parked()), { ...command(1, 'approve'), gate_id: 'gate_2' })).toBe('gate_resolved')
    expect(refuseCommand(null, command(1, 'approve'))).toBe('run_not_awaiting')
  })

  test('nobody in time means expired by ttl', () => {
    expect(nextSettlement(openGate(parked()), INPUT)).toMatchObject({ resolution: 'expired', cause: 'ttl' })
  })

  test('a cancellation loses to a claim that came before it', () => {
    const gate = openGate(parked())
    acceptCommand(gate, command(1, 'approve'))
    acceptCancel(gate, cancel)
    expect(nextSettlement(gate, INPUT).resolution).toBe('approved')
    expect(gate.line).toEqual([])
  })
})
