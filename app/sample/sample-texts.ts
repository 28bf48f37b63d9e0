export interface SampleName {
  readonly firstName: string;
  readonly lastName: string;
  /** The spelling in an email address. */
  readonly latin: string;
}

/** Names, each with its spelling in an email address. */
interface NameGroup {
  readonly firsts: Readonly<Record<string, string>>;
  readonly lasts: Readonly<Record<string, string>>;
}

const western: NameGroup = {
  firsts: {
    Amélie: 'amelie',
    Björn: 'bjorn',
    Caroline: 'caroline',
    Declan: 'declan',
    Ewa: 'ewa',
    François: 'francois',
    Grace: 'grace',
    Håkon: 'hakon',
    Inês: 'ines',
    Jamal: 'jamal',
    Kwame: 'kwame',
    Łucja: 'lucja',
    'María José': 'maria-jose',
    'Nguyễn Thị Ánh': 'nguyen-thi-anh',
    Oisín: 'oisin',
    Priya: 'priya',
    Şebnem: 'sebnem',
    Zoë: 'zoe',
  },
  lasts: {
    "O'Sullivan": 'osullivan',
    'Müller-Lüdenscheidt': 'mueller-luedenscheidt',
    'García Márquez': 'garcia-marquez',
    Kowalczyk: 'kowalczyk',
    'van der Berg': 'van-der-berg',
    Nkrumah: 'nkrumah',
    Çelik: 'celik',
    Sørensen: 'sorensen',
    Iyer: 'iyer',
    'Featherstonehaugh-Cholmondeley': 'featherstonehaugh',
    Å: 'aa',
    Delacroix: 'delacroix',
  },
};

const arabic: NameGroup = {
  firsts: { ليلى: 'layla', يوسف: 'yusuf', 'عبد الرحمن': 'abd-al-rahman', نور: 'nour' },
  lasts: { الحسيني: 'al-husseini', 'بن سعيد': 'ben-said', القاسم: 'al-qasim' },
};

const japanese: NameGroup = {
  firsts: { さくら: 'sakura', 健太郎: 'kentaro', 美咲: 'misaki', 翔: 'sho' },
  lasts: { 田中: 'tanaka', 小鳥遊: 'takanashi', 髙橋: 'takahashi' },
};

const cyrillic: NameGroup = {
  firsts: { Оксана: 'oksana', Дмитрий: 'dmitry', Їжак: 'yizhak' },
  lasts: { Шевченко: 'shevchenko', Жукова: 'zhukova' },
};

const others: NameGroup = {
  firsts: { שירה: 'shira', Ελένη: 'eleni', अनन्या: 'ananya', 지우: 'jiwoo' },
  lasts: { כהן: 'cohen', Παπαδοπούλου: 'papadopoulou', शर्मा: 'sharma', 김: 'kim' },
};

const groups = [western, western, arabic, western, japanese, western, cyrillic, others].map(
  ({ firsts, lasts }) => ({ firsts: Object.entries(firsts), lasts: Object.entries(lasts) }),
);

/** The name of the person with this number. Neighbours come from different parts of the world. */
export function sampleName(index: number): SampleName {
  const group = entryAt(groups, index);
  const round = Math.floor(index / groups.length);
  const [firstName, latinFirst] = entryAt(group.firsts, round * 5 + index);
  const [lastName, latinLast] = entryAt(group.lasts, round * 7 + index * 3);
  return { firstName, lastName, latin: `${latinFirst}.${latinLast}` };
}

export interface SampleSubject {
  readonly topic: string;
  readonly specialFocus: string;
  readonly names: readonly string[];
  readonly description: string | null;
}

/** The fields of a record that say what a meeting is about. */
export function topicOf({ topic, specialFocus }: SampleSubject, { isSpecial = true } = {}) {
  return { topic, special_focus: isSpecial ? specialFocus : '' };
}

/** The subjects of meetings. Some names are long, start like a formula or contain quotes, to test pages and exports. */
export const subjects: readonly SampleSubject[] = [
  {
    topic: 'Grief',
    specialFocus: 'Loss of a partner',
    names: ['Grief circle', 'Walking through grief', 'Trauer und Trost – Gesprächskreis'],
    description:
      'A quiet hour for everyone who has lost someone.\nNo one has to speak; tea and time are provided.',
  },
  {
    topic: 'Sleep',
    specialFocus: 'Shift work',
    names: ['Sleeping better', 'Night shift, day sleep', '眠れない夜のために'],
    description: 'Five small habits for nights that rest.',
  },
  {
    topic: 'Parenting',
    specialFocus: 'New parents',
    names: [
      'New parents, first year',
      'Parents of teenagers: what helps, what does not, and what we only believe to help',
      'آباء وأمهات جدد',
    ],
    description: null,
  },
  {
    topic: 'Anxiety',
    specialFocus: '',
    names: ['Calm under pressure', '"What if?" – living with worry', 'Дыхание и покой'],
    description: 'We practise three exercises that fit into a coffee break.',
  },
  {
    topic: 'Mindfulness',
    specialFocus: 'Beginners',
    names: ['Mindful mornings 🌅', '@home: mindful evenings', 'Ten minutes of nothing'],
    description: 'No experience needed. Camera off is fine.',
  },
  {
    topic: 'Caring for relatives',
    specialFocus: 'Dementia',
    names: ['Caring for a parent', 'Angehörige pflegen, ohne sich zu verlieren', 'Respite café ☕'],
    description: 'For those who care for someone and are seldom asked how they are.',
  },
  {
    topic: 'Addiction recovery',
    specialFocus: 'Alcohol',
    names: ['One day at a time', 'Récupération, étape par étape', 'Sober & social'],
    description: 'Confidential. Newcomers welcome at every meeting.',
  },
  {
    topic: 'Burnout',
    specialFocus: 'Healthcare workers',
    names: [
      'Back from burnout',
      'Burnout prevention for nurses, paramedics, physicians, carers and everybody else who keeps others alive while forgetting to eat lunch',
      '=balance(work; life)',
    ],
    description: 'With exercises, commas, "quotes"; and a worksheet.',
  },
  {
    topic: 'Money worries',
    specialFocus: '',
    names: ['Debt without shame', 'A budget that survives the month'],
    description: null,
  },
  {
    topic: 'LGBTQ+',
    specialFocus: 'Coming out at work',
    names: ['Rainbow lunch 🏳️‍🌈', 'Coming out at work', 'Familias arcoíris'],
    description: 'A protected space. Please read the ground rules before you join.',
  },
  {
    topic: 'Chronic illness',
    specialFocus: 'Long COVID',
    names: ['Pacing: energy as a budget', 'Living with long COVID', 'Χρόνιος πόνος και καθημερινότητα'],
    description: 'Lie down if you need to; we do as well.',
  },
  {
    topic: 'Relationships',
    specialFocus: 'Separation',
    names: ['After the separation', 'Talking so that the other listens', '二人で話そう'],
    description: null,
  },
];

/** The entry at this index. Past the end, counting starts again. */
export function entryAt<Entry>(entries: readonly Entry[], index: number): Entry {
  const entry = entries[index % entries.length];
  if (entry === undefined) throw new Error('nothing to choose from');
  return entry;
}
