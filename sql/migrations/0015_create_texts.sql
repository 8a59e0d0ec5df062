-- The texts of the program's catalogue, of which the words of a notification are made when somebody reads it.

create table internal.languages (
  locale text not null constraint languages_pkey primary key,
  base text,
  is_right_to_left boolean not null,
  plurals text not null constraint languages_plurals_are_categories check (plurals ~ '^[zotfmr]{200}$'),
  months text[] not null constraint languages_months_are_twelve check (cardinality(months) = 12),
  weekdays text[] not null constraint languages_weekdays_are_seven check (cardinality(weekdays) = 7),
  date_pattern text not null,
  date_of_this_year_pattern text not null,
  time_pattern text not null,
  date_time_pattern text not null,
  moments jsonb not null default '{}',
  catalogue text not null
);
comment on table internal.languages is
  'The languages in which Kith speaks, from the catalogue of the program that migrated last (internal.load_texts).';
comment on column internal.languages.locale is 'The tag (BCP 47) in lower case.';
comment on column internal.languages.base is 'The language that has the texts which a variant leaves out.';
comment on column internal.languages.plurals is
  'The plural category of each number from 0 to 199: zero, one, two, few, many or rest. A rule of CLDR looks at a whole number itself below 100, and otherwise at its last two digits.';
comment on column internal.languages.date_pattern is
  'A pattern of format(), made from CLDR''s: 1 is the day, 2 the day in two digits, 3 and 4 the month in the same way, 5 its name, 6 the year, 7 the weekday, 8 and 9 the hour, 10 and 11 the minute.';
comment on column internal.languages.date_of_this_year_pattern is 'The same for a date of the year in which it is read.';
comment on column internal.languages.time_pattern is 'The same for a time of day.';
comment on column internal.languages.catalogue is 'The checksum of the catalogue.';
comment on column internal.languages.date_time_pattern is 'A pattern of format(): 1 is the date, 2 the time.';
comment on column internal.languages.moments is
  'The patterns of the texts moment.* of internal.texts by the rest of their keys, so that the look-up of a language finds them too.';

create table internal.texts (
  locale text not null,
  key text not null,
  source text not null,
  is_right_to_left boolean not null,
  title text,
  pattern text not null,
  forms text[],
  parameters integer not null,
  constraint texts_pkey primary key (locale, key),
  constraint texts_language foreign key (locale) references internal.languages on delete cascade,
  constraint texts_forms_are_six check (cardinality(forms) = 6)
);
comment on table internal.texts is
  'The texts of notifications in each language, compiled from the catalogue of the program that migrated last (internal.load_texts).';
comment on column internal.texts.locale is 'The language that is read.';
comment on column internal.texts.key is 'The key in the catalogue.';
comment on column internal.texts.source is 'The language that the text comes from: a variant has those of its base.';
comment on column internal.texts.is_right_to_left is 'The direction in which that language is written, so that one look-up finds it.';
comment on column internal.texts.title is 'The title of a notification''s type, so that one look-up finds both. Null for other texts.';
comment on column internal.texts.pattern is
  'A pattern of format() for the parameters of internal.text_position; of a text with plural forms, the form of the category other.';
comment on column internal.texts.forms is 'The patterns of the plural categories zero, one, two, few, many and other.';
comment on column internal.texts.parameters is 'The positions of the parameters in the text, as a sum of powers of two.';
