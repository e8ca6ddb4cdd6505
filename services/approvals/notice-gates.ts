import type { Vote } from '#core/gate/tally.ts'
import type { NoticeRow, NoticeViews } from '#store/notices/notice-views.ts'
import { recordedVotes, type VotePorts, votesOn } from './current-votes.ts'

/** A gate as notices show it: an open one with the votes that count now, any other with its recorded votes. */
export type NoticeView = NoticeRow & { votes: Vote[] }

export interface NoticeGates extends Pick<NoticeViews, 'answeredFor'> {
  /** undefined for an unknown gate */
  find(gateId: string): Promise<NoticeView | undefined>
}

/** Reads gates for notices and approval pages. */
export function createNoticeGates(views: NoticeViews, ports: VotePorts): NoticeGates {
  return {
    answeredFor: views.answeredFor,
    async find(gateId) {
      const row = await views.find(gateId)
      if (row === undefined) return undefined
      if (row.status !== 'open') return { ...row, votes: recordedVotes(row, row.resolution?.counted) }
      return { ...row, votes: await votesOn(ports, row.workspace_id, row) }
    },
  }
}
