import { describe, expect, test } from 'vitest'
import { CLOUDWATCH_ALARM, SNS_CONFIRMATION, sns } from './cloudwatch-payloads.ts'
import { normalize, one, refusal } from './normalized.ts'

describe('a CloudWatch alarm', () => {
  test.each([
    ['through SNS', sns(CLOUDWATCH_ALARM)],
    ['as it is, with raw delivery', CLOUDWATCH_ALARM],
  ])('is read %s', (_way, body) => {
    expect(one(body)).toMatchObject({
      source: 'cloudwatch',
      service: 'AWS/EC2/i-12345678901234567',
      symptom: 'ServerCpuTooHigh',
      status: 'firing',
      severity: 'medium',
      fingerprint: 'cloudwatch|aws/ec2/i-12345678901234567|servercputoohigh',
      external_id: 'arn:aws:cloudwatch:us-east-1:123456789012:alarm:ServerCpuTooHigh',
      labels: { InstanceId: 'i-12345678901234567', namespace: 'AWS/EC2', metric: 'CPUUtilization' },
      starts_at: '2019-10-02T17:04:40.985Z',
    })
  })

  test('that is OK again is resolved, one without enough data suppressed', () => {
    const ok = one(sns({ ...CLOUDWATCH_ALARM, NewStateValue: 'OK' }))
    expect(ok).toMatchObject({ status: 'resolved', ends_at: '2019-10-02T17:04:40.985Z' })
    expect(normalize(sns({ ...CLOUDWATCH_ALARM, NewStateValue: 'INSUFFICIENT_DATA' }))).toEqual({
      alerts: [],
      suppressed: [{ suppressed: true, fingerprint: ok?.fingerprint, detail: expect.any(String) }],
    })
  })

  test.each([
    [{ Trigger: undefined }, 'cloudwatch'],
    [{ Trigger: null }, 'cloudwatch'],
    [{ Trigger: { Namespace: 'Custom', Dimensions: [] } }, 'Custom'],
    [
      {
        Trigger: {
          Metrics: [
            { Expression: 'm1' },
            { MetricStat: { Metric: { Namespace: 'AWS/SQS', Dimensions: [{ name: 'Q', value: 'jobs' }] } } },
          ],
        },
      },
      'AWS/SQS/jobs',
    ],
  ])('with %j is about %s', (changes, service) => {
    expect(one(sns({ ...CLOUDWATCH_ALARM, ...changes }))?.service).toBe(service)
  })

  test('never confirms a subscription by itself, and does not repeat its token', () => {
    const { alerts, suppressed } = normalize(SNS_CONFIRMATION)
    expect(alerts).toEqual([])
    expect(suppressed).toEqual([
      {
        suppressed: true,
        fingerprint: 'cloudwatch|mytopic|subscriptionconfirmation',
        detail: expect.stringContaining('waits for a person'),
      },
    ])
    expect(JSON.stringify(suppressed)).not.toContain('2336412f37')
  })

  test('is what SNS must carry', () => {
    for (const message of ['plain text', '{"a":1}', '[]', 'null'])
      expect(refusal(sns(message)).code).toBe('unrecognised_alert')
    const faulty = refusal(sns({ ...CLOUDWATCH_ALARM, NewStateValue: 1 }))
    expect(faulty.details.errors?.map((each) => each.pointer)).toEqual(['/Message/NewStateValue'])
  })

  test.each([
    ['\u0000', 'a\\u0000'],
    ['\ud800', 'a\ufffd'],
  ])('cannot smuggle text in that no database holds (%j)', (text, kept) => {
    expect(normalize(sns({ ...CLOUDWATCH_ALARM, AlarmName: `a${text}` })).alerts).toMatchObject([{ symptom: kept }])
  })

  test('in a message of any size takes time in proportion', () => {
    expect(refusal(sns('['.repeat(200_000))).code).toBe('unrecognised_alert')
  })
})
