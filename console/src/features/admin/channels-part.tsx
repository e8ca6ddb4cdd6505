import { useMutation, useQuery } from '@tanstack/react-query'
import { Asked } from '../../components/asked.tsx'
import { Refusal } from '../../components/checks.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { PlainTable } from '../../components/plain-table.tsx'
import { api, given } from '../../lib/api.ts'
import { ADMIN } from '../../strings/admin.ts'
import { type Channel, channelsQuery } from './api.ts'

const words = ADMIN.channels

/** Notification channels, with a test of each. */
export function ChannelsPart() {
  const { columns } = words
  return (
    <>
      <p className="mb-3 max-w-prose text-muted-foreground">{words.intro}</p>
      <Asked query={useQuery(channelsQuery)} empty={words.empty}>
        {(channels) => (
          <PlainTable
            label={ADMIN.parts.channels}
            columns={[columns.name, columns.kind, columns.recipients, columns.state, columns.test]}
            rows={channels.map((channel) => ({
              key: channel.name,
              cells: [
                channel.name,
                channel.kind,
                <ul key="recipients">
                  {channel.recipients.map((each) => (
                    <li key={each} className="break-all">
                      {each}
                    </li>
                  ))}
                </ul>,
                channel.problem === undefined ? (
                  <span key="state" className="text-success">
                    {words.open}
                  </span>
                ) : (
                  <span key="state" className="text-destructive">
                    {words.closed(channel.problem)}
                  </span>
                ),
                <TestChannel key="test" channel={channel} />,
              ],
            }))}
          />
        )}
      </Asked>
    </>
  )
}

function TestChannel({ channel: { name, recipients } }: { channel: Channel }) {
  const test = useMutation({
    mutationFn: async () => given(await api.POST('/console/api/channels/{name}/test', { params: { path: { name } } })),
  })
  return (
    <>
      <Confirm
        ask={test.isPending ? words.sending : words.send(name)}
        question={words.sure(recipients.length)}
        yes={words.yes}
        no={words.no}
        busy={test.isPending}
        onYes={() => test.mutate()}
      />
      <Refusal error={test.error} />
      <div role="status" className="text-sm">
        <ul>
          {test.data?.sent.map(({ ok, detail }) => (
            <li key={detail} className={`break-words ${ok ? 'text-success' : 'text-destructive'}`}>
              {detail}
            </li>
          ))}
        </ul>
      </div>
    </>
  )
}
