const timestampForm = 'a valid date and time with its offset, such as 2026-11-20T18:00:00Z';

/** The allowed form of fields, as error messages name it. */
export const allowedForms: Readonly<Record<string, string>> = {
  start_time: timestampForm,
  end_time: timestampForm,
  duration: 'short enough for the meeting to end before the year 10000',
  created_at: timestampForm,
  registered_at: timestampForm,
  offered_until: `${timestampForm}, or null`,
  email: 'an email address such as dana@example.com',
  uuid: 'a UUID',
  avatar: 'the http or https URL of a picture, or null',
  access_key: '24 digits',
  location: 'lower-case letters (a to z), digits and hyphens only',
  name: 'more than spaces',
  first_name: 'more than spaces',
  last_name: 'more than spaces',
  meeting_type: 'more than spaces',
  status: 'more than spaces',
};
