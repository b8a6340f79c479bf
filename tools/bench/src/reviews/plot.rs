//! The plots: latency and read units against the number of reviews, both axes logarithmic.
//!
//! The ground is transparent and every colour of middle lightness, so that they can be read on light and on dark pages.

use std::path::Path;

use anyhow::{Context as _, anyhow};
use plotters::prelude::*;

use super::backend::Backend;
use super::report::grouped;
use super::rounds::{BackendFigures, MeasuredSearch};
use super::search::PagePosition;
use super::{SizeResult, find};

/// A plot: the end of its file's name, what it shows, and the picture.
pub(super) type Plot = (&'static str, &'static str, String);

const WIDTH: u32 = 860;
const HEIGHT: u32 = 420;
/// Where the names of the lines stand.
const LEGEND: i32 = 600;
/// Nothing smaller is drawn: nothing has no logarithm.
const SMALLEST: f64 = 1e-3;
const INK: RGBColor = RGBColor(128, 128, 128);
const LEDGER: RGBColor = RGBColor(46, 160, 90);
const THIN: RGBColor = RGBColor(222, 125, 40);
const POSTGRES: RGBColor = RGBColor(74, 128, 220);
const SELDOM: RGBColor = RGBColor(160, 105, 205);

/// One line.
struct Line {
    label: &'static str,
    colour: RGBColor,
    /// Whether it is drawn in dashes.
    dashed: bool,
    /// Number of reviews, figure.
    points: Vec<(f64, f64)>,
}

/// Which figures a line has.
type Source = (&'static str, Backend, &'static str, PagePosition, RGBColor, bool);

const TIMES: [Source; 5] = [
    ("thin index, any page", Backend::ThinIndex, "no filter", PagePosition::First, THIN, false),
    ("PostgreSQL, last page", Backend::Postgres, "no filter", PagePosition::Last, POSTGRES, true),
    ("PostgreSQL, page 1", Backend::Postgres, "no filter", PagePosition::First, POSTGRES, false),
    ("ledger, last page", Backend::Ledger, "no filter", PagePosition::Last, LEDGER, true),
    ("ledger, page 1", Backend::Ledger, "no filter", PagePosition::First, LEDGER, false),
];
const UNITS: [Source; 4] = [
    ("thin index, any search", Backend::ThinIndex, "no filter", PagePosition::First, THIN, false),
    ("ledger, page 1", Backend::Ledger, "no filter", PagePosition::First, LEDGER, false),
    ("ledger, last page", Backend::Ledger, "no filter", PagePosition::Last, LEDGER, true),
    ("ledger, 0.15 % filter, page 1", Backend::Ledger, "0.15 % filter", PagePosition::First, SELDOM, false),
];

/// Both plots.
pub(super) fn plots(sizes: &[SizeResult]) -> anyhow::Result<Vec<Plot>> {
    let latency = lines(sizes, &TIMES, |figures| figures.runs() > 0, BackendFigures::p50);
    let units = lines(sizes, &UNITS, |_| true, |figures| figures.cost.read_units);
    Ok(vec![
        ("latency", "Median latency against the number of reviews", draw("median latency in ms, no filter", &latency)?),
        ("units", "Read units of a search against the number of reviews", draw("read units of a search", &units)?),
    ])
}

/// Writes the plots beside the report. Returns their names, as the report has them, and what they show.
pub(super) fn write(plots: &[Plot], report: &Path) -> anyhow::Result<Vec<(String, &'static str)>> {
    let stem = report.file_stem().and_then(|stem| stem.to_str()).context("the report needs a name")?;
    let mut files = Vec::new();
    for (name, shows, picture) in plots {
        let file = format!("{stem}-{name}.svg");
        std::fs::write(report.with_file_name(&file), picture)?;
        files.push((file, *shows));
    }
    Ok(files)
}

fn lines(
    sizes: &[SizeResult],
    sources: &[Source],
    has: impl Fn(&BackendFigures) -> bool,
    figure: impl Fn(&BackendFigures) -> f64,
) -> Vec<Line> {
    let line = |(label, who, what, place, colour, dashed): &Source| {
        let point = |size: &SizeResult| {
            let figures = find(size, what, *place).and_then(|measured: &MeasuredSearch| measured.figures.get(who))?;
            has(figures).then(|| (size.total as f64, figure(figures)))
        };
        Line { label, colour: *colour, dashed: *dashed, points: sizes.iter().filter_map(point).collect() }
    };
    let lines = sources.iter().map(line);
    lines.filter(|line| !line.points.is_empty()).collect()
}

fn draw(title: &str, lines: &[Line]) -> anyhow::Result<String> {
    let mut picture = String::new();
    {
        let root = SVGBackend::with_string(&mut picture, (WIDTH, HEIGHT)).into_drawing_area();
        let (left, right) = root.split_horizontally(LEGEND);
        chart(&left, title, lines).map_err(|error| anyhow!("cannot draw {title}: {error}"))?;
        legend(&right, lines).map_err(|error| anyhow!("cannot draw the legend of {title}: {error}"))?;
        root.present().map_err(|error| anyhow!("cannot draw {title}: {error}"))?;
    }
    Ok(picture)
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
type Drawn<'a> = Result<(), DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>>;

fn chart<'a>(area: &Area<'a>, title: &str, lines: &[Line]) -> Drawn<'a> {
    let points = || lines.iter().flat_map(|line| &line.points);
    let (xs, ys) = (decades(points().map(|point| point.0)), decades(points().map(|point| point.1)));
    let mut chart = ChartBuilder::on(area)
        .margin(16)
        .caption(title, text(20))
        .x_label_area_size(44)
        .y_label_area_size(64)
        .build_cartesian_2d((xs.0..xs.1).log_scale(), (ys.0..ys.1).log_scale())?;
    chart
        .configure_mesh()
        .bold_line_style(INK.mix(0.35))
        .light_line_style(TRANSPARENT)
        .axis_style(INK)
        .label_style(text(15))
        .x_desc("reviews")
        .x_label_formatter(&|number| label(*number))
        .y_label_formatter(&|number| label(*number))
        .x_labels(powers(xs))
        .y_labels(powers(ys))
        .draw()?;
    for line in lines {
        let style = line.colour.stroke_width(2);
        if line.dashed {
            chart.draw_series(DashedLineSeries::new(line.points.iter().copied(), 7, 5, style))?;
        } else {
            chart.draw_series(LineSeries::new(line.points.iter().copied(), style))?;
        }
        chart.draw_series(line.points.iter().map(|point| Circle::new(*point, 3, line.colour.filled())))?;
    }
    Ok(())
}

/// A name for each line, in the order of their right ends, from the top.
fn legend<'a>(area: &Area<'a>, lines: &[Line]) -> Drawn<'a> {
    for (line, y) in lines.iter().zip((80..).step_by(30)) {
        let style = line.colour.stroke_width(2);
        let dashes: &[(i32, i32)] = if line.dashed { &[(0, 9), (14, 23), (28, 36)] } else { &[(0, 36)] };
        for (from, to) in dashes {
            area.draw(&PathElement::new(vec![(*from, y), (*to, y)], style))?;
        }
        area.draw(&Circle::new((18, y), 3, line.colour.filled()))?;
        area.draw(&Text::new(line.label, (46, y - 7), text(17)))?;
    }
    Ok(())
}

fn text<'a>(size: u32) -> TextStyle<'a> {
    ("sans-serif", size).into_font().color(&INK)
}

/// The powers of ten around all numbers.
fn decades(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = numbers.fold((f64::MAX, f64::MIN), |(low, high), number| (low.min(number), high.max(number)));
    let (floor, ceiling) = (low.max(SMALLEST).log10().floor(), high.max(SMALLEST).log10().ceil());
    (10_f64.powf(floor), 10_f64.powf(ceiling.max(floor + 1.0)))
}

/// How many powers of ten lie in a range of them, both ends included.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few decades")]
fn powers((first, last): (f64, f64)) -> usize {
    (last / first).log10().round() as usize + 1
}

/// Of powers of ten only: the numbers between them would stand too close.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "labels from one on are whole")]
fn label(number: f64) -> String {
    let exponent = number.log10();
    match number {
        _ if (exponent - exponent.round()).abs() > SMALLEST => String::new(),
        fraction if fraction < 1.0 => format!("{fraction}"),
        whole => grouped(whole.round() as u64),
    }
}
