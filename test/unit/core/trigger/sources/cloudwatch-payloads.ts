/** An alarm as CloudWatch publishes it; https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Notify_Users_Alarm_Changes.html */
export const CLOUDWATCH_ALARM = {
  AlarmName: 'ServerCpuTooHigh',
  AlarmDescription: 'Goes into alarm when server CPU utilization is too high!',
  AWSAccountId: '123456789012',
  AlarmConfigurationUpdatedTimestamp: '2019-10-02T16:20:00.000+0000',
  NewStateValue: 'ALARM',
  NewStateReason:
    'Threshold Crossed: 1 out of the last 1 datapoints [99.50160229693434 (02/10/19 16:59:00)] was greater than the threshold (50.0) (minimum 1 datapoint for OK -> ALARM transition).',
  StateChangeTime: '2019-10-02T17:04:40.985+0000',
  Region: 'US East (N. Virginia)',
  AlarmArn: 'arn:aws:cloudwatch:us-east-1:123456789012:alarm:ServerCpuTooHigh',
  OldStateValue: 'OK',
  OKActions: [],
  AlarmActions: ['arn:aws:sns:us-east-1:123456789012:MyTopic'],
  InsufficientDataActions: [],
  Trigger: {
    MetricName: 'CPUUtilization',
    Namespace: 'AWS/EC2',
    StatisticType: 'Statistic',
    Statistic: 'AVERAGE',
    Unit: null,
    Dimensions: [{ value: 'i-12345678901234567', name: 'InstanceId' }],
    Period: 300,
    EvaluationPeriods: 1,
    ComparisonOperator: 'GreaterThanThreshold',
    Threshold: 50,
    TreatMissingData: 'missing',
    EvaluateLowSampleCountPercentile: '',
  },
}

/** https://docs.aws.amazon.com/sns/latest/dg/http-notification-json.html */
export const sns = (message: object | string) => ({
  Type: 'Notification',
  MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
  TopicArn: 'arn:aws:sns:us-west-2:123456789012:MyTopic',
  Subject: 'ALARM: "ServerCpuTooHigh" in US East (N. Virginia)',
  Message: typeof message === 'string' ? message : JSON.stringify(message),
  Timestamp: '2012-05-02T00:54:06.655Z',
  SignatureVersion: '1',
  Signature: 'EXAMPLEw6JRN...',
  SigningCertURL: 'https://sns.us-west-2.amazonaws.com/SimpleNotificationService-f3ecfb7224c7233fe7bb5f59f96de52f.pem',
  UnsubscribeURL:
    'https://sns.us-west-2.amazonaws.com/?Action=Unsubscribe&SubscriptionArn=arn:aws:sns:us-west-2:123456789012:MyTopic',
})

/** https://docs.aws.amazon.com/sns/latest/dg/http-subscription-confirmation-json.html */
export const SNS_CONFIRMATION = {
  Type: 'SubscriptionConfirmation',
  MessageId: '165545c9-2a5c-472c-8df2-7ff2be2b3b1b',
  Token: '2336412f37...',
  TopicArn: 'arn:aws:sns:us-west-2:123456789012:MyTopic',
  Message:
    'You have chosen to subscribe to the topic arn:aws:sns:us-west-2:123456789012:MyTopic.\nTo confirm the subscription, visit the SubscribeURL included in this message.',
  SubscribeURL:
    'https://sns.us-west-2.amazonaws.com/?Action=ConfirmSubscription&TopicArn=arn:aws:sns:us-west-2:123456789012:MyTopic&Token=2336412f37...',
  Timestamp: '2012-04-26T20:45:04.751Z',
  SignatureVersion: '1',
  Signature: 'EXAMPLEpH+...',
  SigningCertURL: 'https://sns.us-west-2.amazonaws.com/SimpleNotificationService-f3ecfb7224c7233fe7bb5f59f96de52f.pem',
}
